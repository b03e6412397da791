// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.model.mesh.IpBlock;
import io.fathom.model.policy.Authorization.Match;
import io.fathom.model.policy.Authorization.ServiceAccount;
import io.fathom.model.policy.StringMatch;
import java.util.List;

/// Names the fields of a [Match] while one is put together; confined to the method that makes it.
final class MatchFields {
    List<StringMatch> namespaces = List.of();
    List<StringMatch> notNamespaces = List.of();
    List<StringMatch> principals = List.of();
    List<StringMatch> notPrincipals = List.of();
    List<IpBlock> sourceIps = List.of();
    List<IpBlock> notSourceIps = List.of();
    List<IpBlock> destinationIps = List.of();
    List<IpBlock> notDestinationIps = List.of();
    List<Integer> destinationPorts = List.of();
    List<Integer> notDestinationPorts = List.of();
    List<ServiceAccount> serviceAccounts = List.of();
    List<ServiceAccount> notServiceAccounts = List.of();

    Match toMatch() {
        return new Match(
                namespaces,
                notNamespaces,
                principals,
                notPrincipals,
                sourceIps,
                notSourceIps,
                destinationIps,
                notDestinationIps,
                destinationPorts,
                notDestinationPorts,
                serviceAccounts,
                notServiceAccounts);
    }
}
