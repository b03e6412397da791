// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.control.ca.NodeDecision.NodeDenial;
import io.fathom.model.mesh.Identity;
import java.util.Map;
import java.util.Set;

/// Decides what a node proxy may ask for: certificates of the workloads on its own node, and no others, so that a
/// stolen node is worth what runs on it and not the mesh. Pure: one snapshot of the pods in, one decision out.
public final class NodeAuthorizer {
    private NodeAuthorizer() {}

    /// Service accounts whose pods act for the node they run on.
    ///
    /// @param accounts as `namespace/name`; none turns impersonation off
    public record TrustedAccounts(Set<String> accounts) {
        public TrustedAccounts {
            accounts = Set.copyOf(accounts);
        }

        boolean include(Caller.BoundPod pod) {
            return accounts.contains(pod.namespace() + "/" + pod.serviceAccount());
        }
    }

    /// What is known when a request is decided.
    ///
    /// @param pods by cluster; the empty name is the cluster of the control plane
    public record Snapshot(TrustedAccounts trusted, TrustDomains trustDomains, Map<String, PodDirectory> pods) {}

    public static NodeDecision decide(Snapshot snapshot, Caller caller, String requested) {
        if (snapshot.trusted().accounts().isEmpty()) {
            return refused(NodeDenial.FEATURE_OFF, "no account is trusted to act for its node");
        }
        if (caller.pod().isEmpty()) {
            return refused(NodeDenial.NOT_BOUND_TO_A_POD, "the caller's credentials are not bound to a pod");
        }
        var bound = caller.pod().get();
        var pods = snapshot.pods().get(bound.cluster());
        if (pods == null) {
            return refused(NodeDenial.UNKNOWN_CLUSTER, "cluster '" + bound.cluster() + "' is not known");
        }
        if (!snapshot.trusted().include(bound)) {
            return refused(
                    NodeDenial.CALLER_NOT_TRUSTED,
                    bound.namespace() + "/" + bound.serviceAccount() + " is not among "
                            + snapshot.trusted().accounts());
        }
        var identity = Identity.parse(requested);
        if (identity.isEmpty()) {
            return refused(NodeDenial.NOT_AN_IDENTITY, "what is asked for is not a workload identity");
        }
        if (!snapshot.trustDomains().include(identity.get())) {
            return refused(NodeDenial.FOREIGN_TRUST_DOMAIN, identity.get().trustDomain() + " is not ours");
        }
        return decide(pods, bound, identity.get());
    }

    private static NodeDecision decide(PodDirectory pods, Caller.BoundPod bound, Identity identity) {
        var found = pods.pod(bound.namespace(), bound.name());
        if (found.isEmpty()) {
            return refused(NodeDenial.UNKNOWN_POD, "there is no such pod");
        }
        var pod = found.get();
        if (!pod.uid().equals(bound.uid())) {
            return refused(NodeDenial.OTHER_POD, "the pod now has uid " + pod.uid());
        }
        if (!pod.serviceAccount().equals(bound.serviceAccount())) {
            return refused(NodeDenial.OTHER_ACCOUNT, "the pod runs as " + pod.serviceAccount());
        }
        var node = pod.node();
        if (node.isEmpty() || bound.node().filter(said -> !said.equals(node)).isPresent()) {
            return refused(NodeDenial.OTHER_NODE, "the pod runs on '" + node + "'");
        }
        return pods.runs(node, identity.namespace(), identity.serviceAccount())
                ? new NodeDecision.Granted(identity, node)
                : refused(NodeDenial.NOT_ON_NODE, "no pod of " + identity.uri() + " runs on " + node);
    }

    private static NodeDecision refused(NodeDenial reason, String detail) {
        return new NodeDecision.Refused(reason, detail);
    }
}
