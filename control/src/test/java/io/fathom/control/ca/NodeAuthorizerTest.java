// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.ca.NodeAuthorizer.Snapshot;
import io.fathom.control.ca.NodeAuthorizer.TrustedAccounts;
import io.fathom.control.ca.NodeDecision.NodeDenial;
import io.fathom.model.mesh.Identity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodeAuthorizerTest {
    private static final String PAYMENTS = "spiffe://cluster.local/ns/default/sa/payments";
    private static final PodDirectory PODS = new TestPods()
            .add("istio-system", "ztunnel-a", "uid-a", "ztunnel", "node-a")
            .add("istio-system", "ztunnel-b", "uid-b", "ztunnel", "node-b")
            .add("istio-system", "ztunnel-new", "uid-n", "ztunnel", "")
            .add("istio-system", "ztunnel-x", "uid-x", "other", "node-a")
            .add("default", "payments-1", "uid-1", "payments", "node-a")
            .add("default", "orders-1", "uid-2", "orders", "node-b")
            .addFailed("default", "job-1", "uid-3", "failed-job", "node-a");
    private static final PodDirectory REMOTE = new TestPods()
            .add("istio-system", "ztunnel-r", "uid-r", "ztunnel", "node-a")
            .add("default", "remote-1", "uid-9", "remote", "node-a");
    private static final Snapshot SNAPSHOT = new Snapshot(
            new TrustedAccounts(Set.of("istio-system/ztunnel")),
            new TrustDomains("cluster.local", Set.of("old.local")),
            Map.of("", PODS, "remote", REMOTE));

    static Stream<Arguments> cases() {
        var ztunnel = caller("", "istio-system", "ztunnel", "ztunnel-a", "uid-a", "node-a");
        var remote = caller("remote", "istio-system", "ztunnel", "ztunnel-r", "uid-r", "node-a");
        return Stream.of(
                argumentSet("a pod on the caller's node", ztunnel, PAYMENTS, granted("payments")),
                argumentSet(
                        "a token that does not tell the node",
                        caller("", "istio-system", "ztunnel", "ztunnel-a", "uid-a", null),
                        PAYMENTS,
                        granted("payments")),
                argumentSet(
                        "an alias of the trust domain",
                        ztunnel,
                        "spiffe://old.local/ns/default/sa/payments",
                        new NodeDecision.Granted(new Identity("old.local", "default", "payments"), "node-a")),
                argumentSet("on-node in its own cluster", remote, id("remote"), granted("remote")),
                argumentSet("another cluster's pod", remote, PAYMENTS, NodeDenial.NOT_ON_NODE),
                argumentSet("a pod that failed", ztunnel, id("failed-job"), NodeDenial.NOT_ON_NODE),
                argumentSet("a pod on another node", ztunnel, id("orders"), NodeDenial.NOT_ON_NODE),
                argumentSet("an unknown account", ztunnel, id("nobody"), NodeDenial.NOT_ON_NODE),
                argumentSet(
                        "another namespace",
                        ztunnel,
                        "spiffe://cluster.local/ns/prod/sa/payments",
                        NodeDenial.NOT_ON_NODE),
                argumentSet(
                        "an untrusted caller",
                        caller("", "default", "payments", "payments-1", "uid-1", "node-a"),
                        PAYMENTS,
                        NodeDenial.CALLER_NOT_TRUSTED),
                argumentSet(
                        "a trusted account's name in another namespace",
                        caller("", "default", "ztunnel", "ztunnel-a", "uid-a", "node-a"),
                        PAYMENTS,
                        NodeDenial.CALLER_NOT_TRUSTED),
                argumentSet(
                        "a caller without a pod",
                        new Caller(
                                Caller.By.TOKEN_REVIEW,
                                List.of(new Identity("cluster.local", "istio-system", "ztunnel")),
                                Optional.empty()),
                        PAYMENTS,
                        NodeDenial.NOT_BOUND_TO_A_POD),
                argumentSet(
                        "a removed cluster",
                        caller("gone", "istio-system", "ztunnel", "ztunnel-a", "uid-a", "node-a"),
                        PAYMENTS,
                        NodeDenial.UNKNOWN_CLUSTER),
                argumentSet(
                        "no SPIFFE id", ztunnel, "https://cluster.local/ns/default/sa/x", NodeDenial.NOT_AN_IDENTITY),
                argumentSet("too many parts", ztunnel, PAYMENTS + "/x", NodeDenial.NOT_AN_IDENTITY),
                argumentSet(
                        "a foreign trust domain",
                        ztunnel,
                        "spiffe://other.mesh/ns/default/sa/payments",
                        NodeDenial.FOREIGN_TRUST_DOMAIN),
                argumentSet(
                        "a deleted pod",
                        caller("", "istio-system", "ztunnel", "ztunnel-z", "uid-z", "node-a"),
                        PAYMENTS,
                        NodeDenial.UNKNOWN_POD),
                argumentSet(
                        "a pod that was replaced by another of its name",
                        caller("", "istio-system", "ztunnel", "ztunnel-a", "uid-old", "node-a"),
                        PAYMENTS,
                        NodeDenial.OTHER_POD),
                argumentSet(
                        "a pod of another account",
                        caller("", "istio-system", "ztunnel", "ztunnel-x", "uid-x", "node-a"),
                        PAYMENTS,
                        NodeDenial.OTHER_ACCOUNT),
                argumentSet(
                        "a token of another node",
                        caller("", "istio-system", "ztunnel", "ztunnel-b", "uid-b", "node-a"),
                        PAYMENTS,
                        NodeDenial.OTHER_NODE),
                argumentSet(
                        "a pod without a node",
                        caller("", "istio-system", "ztunnel", "ztunnel-new", "uid-n", null),
                        PAYMENTS,
                        NodeDenial.OTHER_NODE));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whenAnIdentityIsAskedFor(Caller caller, String requested, Object want) {
        var decision = NodeAuthorizer.decide(SNAPSHOT, caller, requested);
        assertThat(decision instanceof NodeDecision.Refused refused ? refused.reason() : decision)
                .isEqualTo(want);
    }

    @Test
    void givenNoTrustedAccounts_thenTheFeatureIsOff() {
        var off = new Snapshot(new TrustedAccounts(Set.of()), TrustDomains.of("cluster.local"), Map.of("", PODS));
        var caller = caller("", "istio-system", "ztunnel", "ztunnel-a", "uid-a", "node-a");
        assertThat(NodeAuthorizer.decide(off, caller, PAYMENTS))
                .isInstanceOfSatisfying(
                        NodeDecision.Refused.class,
                        refused -> assertThat(refused.reason().code()).isEqualTo("node-feature-off"));
    }

    private static Caller caller(
            String cluster, String namespace, String account, String pod, String uid, @Nullable String node) {
        return new Caller(
                Caller.By.TOKEN_REVIEW,
                List.of(new Identity("cluster.local", namespace, account)),
                Optional.of(new Caller.BoundPod(cluster, namespace, account, pod, uid, Optional.ofNullable(node))));
    }

    private static String id(String account) {
        return "spiffe://cluster.local/ns/default/sa/" + account;
    }

    private static NodeDecision granted(String account) {
        return new NodeDecision.Granted(new Identity("cluster.local", "default", account), "node-a");
    }
}
