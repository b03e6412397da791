// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Json;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RolloutTest {
    static Stream<Arguments> workloads() {
        return Stream.of(
                argumentSet("all there", """
                        {"kind": "Deployment", "metadata": {"generation": 2}, "spec": {"replicas": 2}, "status":
                         {"observedGeneration": 2, "updatedReplicas": 2, "availableReplicas": 2}}""", ""),
                argumentSet("not seen", """
                        {"kind": "Deployment", "metadata": {"generation": 2}, "spec": {"replicas": 2}, "status":
                         {"observedGeneration": 1, "updatedReplicas": 2, "availableReplicas": 2}}""", "not seen it yet"),
                argumentSet("an old pod", """
                        {"kind": "Deployment", "metadata": {"generation": 1}, "spec": {"replicas": 2}, "status":
                         {"observedGeneration": 1, "updatedReplicas": 1, "availableReplicas": 2}}""", "1 of 2 pods are of the new"),
                argumentSet("replicas not said", """
                        {"kind": "Deployment", "metadata": {"generation": 1}, "spec": {}, "status":
                         {"observedGeneration": 1, "updatedReplicas": 1}}""", "0 of 1 pods are available"),
                argumentSet("a node without", """
                        {"kind": "DaemonSet", "metadata": {"generation": 1}, "status": {"observedGeneration": 1,
                         "desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberAvailable": 2}}""", "2 of 3 pods"),
                argumentSet("no nodes", """
                        {"kind": "DaemonSet", "metadata": {"generation": 1}, "status": {"observedGeneration": 1}}""", ""));
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void givenAStatus_thenSaysWhatIsMissing(String object, String want) {
        var missing = Rollout.missing(new KubeObject(Json.parse("object", object)));
        assertThat(missing.isEmpty()).isEqualTo(want.isEmpty());
        assertThat(missing.orElse("")).contains(want);
    }

    static Stream<Arguments> pods() {
        return Stream.of(
                argumentSet("no image", """
                        {"status": {"containerStatuses": [{"state": {"waiting": {"reason": "ErrImageNeverPull",
                         "message": "not present"}}}]}}""", "ErrImageNeverPull not present"),
                argumentSet("crashed", """
                        {"status": {"containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff",
                         "message": "waits"}}, "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}}}]}}""", "CrashLoopBackOff waits, ended with 1: Error"),
                argumentSet("no node", """
                        {"status": {"conditions": [{"type": "PodScheduled", "status": "False", "message": "no nodes"}]}}""", "PodScheduled is false: no nodes"),
                argumentSet("ready", """
                        {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}""", ""),
                argumentSet("new", "{\"status\": {}}", "not started yet"));
    }

    @ParameterizedTest
    @MethodSource("pods")
    void givenAPod_thenSaysWhyItIsNotReady(String object, String want) {
        var trouble = Rollout.trouble(new KubeObject(Json.parse("object", object)));
        assertThat(trouble.isEmpty()).isEqualTo(want.isEmpty());
        assertThat(trouble.orElse("")).contains(want);
    }
}
