// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import static io.fathom.control.ambient.Drafts.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.ambient.PodDraft;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WorkloadNamesTest {
    static Stream<Arguments> pods() {
        return Stream.of(
                argumentSet(
                        "given a ReplicaSet with its hash, then the Deployment",
                        pod("own/p").label("pod-template-hash", "6d4").ownedBy("ReplicaSet", "web-6d4"),
                        "web"),
                argumentSet(
                        "given a ReplicaSet with another hash, then the ReplicaSet",
                        pod("own/p").label("pod-template-hash", "other").ownedBy("ReplicaSet", "web-6d4"),
                        "web-6d4"),
                argumentSet(
                        "given a rollout, then the rollout",
                        pod("own/p").label("rollouts-pod-template-hash", "5f9").ownedBy("ReplicaSet", "canary-5f9"),
                        "canary"),
                argumentSet(
                        "given a run of a CronJob, then the CronJob",
                        pod("own/p").ownedBy("Job", "nightly-28700000"),
                        "nightly"),
                argumentSet(
                        "given a Job with too few digits, then the Job",
                        pod("own/p").ownedBy("Job", "short-1234567"),
                        "short-1234567"),
                argumentSet(
                        "given a Job with too many digits, then the Job",
                        pod("own/p").ownedBy("Job", "long-12345678901"),
                        "long-12345678901"),
                argumentSet(
                        "given a DeploymentConfig, then its label",
                        pod("own/p").label("deploymentconfig", "dc").ownedBy("ReplicationController", "dc-1"),
                        "dc"),
                argumentSet("given a StatefulSet, then it", pod("own/p").ownedBy("StatefulSet", "db"), "db"),
                argumentSet("given no owner, then the pod", pod("own/p"), "p"),
                argumentSet(
                        "given a chosen name, then that",
                        pod("own/p")
                                .label("service.istio.io/workload-name", "chosen")
                                .ownedBy("StatefulSet", "db"),
                        "chosen"));
    }

    @ParameterizedTest
    @MethodSource("pods")
    void workloadNameOf(PodDraft pod, String expected) {
        assertThat(WorkloadNames.ofPod(pod.manifest())).isEqualTo(expected);
    }

    @Test
    void givenLabels_thenTheFirstKnownOneNamesTheCanonicalService() {
        assertThat(WorkloadNames.canonicalName(Map.of(), "w")).isEqualTo("w");
        assertThat(WorkloadNames.canonicalName(Map.of("app", "a"), "w")).isEqualTo("a");
        assertThat(WorkloadNames.canonicalName(Map.of("app", "a", "app.kubernetes.io/name", "k"), "w"))
                .isEqualTo("k");
        assertThat(WorkloadNames.canonicalName(
                        Map.of("app.kubernetes.io/name", "k", "service.istio.io/canonical-name", "c"), "w"))
                .isEqualTo("c");
        assertThat(WorkloadNames.canonicalRevision(Map.of())).isEqualTo("latest");
        assertThat(WorkloadNames.canonicalRevision(Map.of("version", "v", "app.kubernetes.io/version", "k")))
                .isEqualTo("k");
    }
}
