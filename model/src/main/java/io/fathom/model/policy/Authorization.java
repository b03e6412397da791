// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import io.fathom.model.mesh.IpBlock;
import java.util.List;

/// A layer-4 policy in the shape the node proxy evaluates: groups are alternatives; all rules of a group must hold;
/// the matches of a rules entry are alternatives.
///
/// No groups never match. A group without rules, and rules without matches, always match. An empty [Match] never does.
public record Authorization(
        String name, String namespace, Scope scope, Action action, List<Group> groups, DryRun dryRun) {

    public enum Scope {
        GLOBAL,
        NAMESPACE,
        WORKLOAD_SELECTOR
    }

    public enum Action {
        ALLOW,
        DENY
    }

    /// Whether the decision is only reported.
    public enum DryRun {
        NO,
        YES
    }

    public record Group(List<Rules> rules) {
        public Group {
            rules = List.copyOf(rules);
        }
    }

    public record Rules(List<Match> matches) {
        public Rules {
            matches = List.copyOf(matches);
        }
    }

    public record ServiceAccount(String namespace, String name) {}

    public Authorization {
        groups = List.copyOf(groups);
    }

    /// The resource name: `namespace/name`.
    public String key() {
        return namespace + "/" + name;
    }

    /// All fields that are not empty must hold; the values of one field are alternatives; `not` fields exclude.
    public record Match(
            List<StringMatch> namespaces,
            List<StringMatch> notNamespaces,
            List<StringMatch> principals,
            List<StringMatch> notPrincipals,
            List<IpBlock> sourceIps,
            List<IpBlock> notSourceIps,
            List<IpBlock> destinationIps,
            List<IpBlock> notDestinationIps,
            List<Integer> destinationPorts,
            List<Integer> notDestinationPorts,
            List<ServiceAccount> serviceAccounts,
            List<ServiceAccount> notServiceAccounts) {

        public static final Match EMPTY = new Match(
                List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(),
                List.of(), List.of(), List.of());

        public Match {
            namespaces = List.copyOf(namespaces);
            notNamespaces = List.copyOf(notNamespaces);
            principals = List.copyOf(principals);
            notPrincipals = List.copyOf(notPrincipals);
            sourceIps = List.copyOf(sourceIps);
            notSourceIps = List.copyOf(notSourceIps);
            destinationIps = List.copyOf(destinationIps);
            notDestinationIps = List.copyOf(notDestinationIps);
            destinationPorts = List.copyOf(destinationPorts);
            notDestinationPorts = List.copyOf(notDestinationPorts);
            serviceAccounts = List.copyOf(serviceAccounts);
            notServiceAccounts = List.copyOf(notServiceAccounts);
        }
    }
}
