// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.model.mesh.GatewayAddress;
import java.util.Optional;

/// All that the workloads of a namespace have in common, so that each of them looks in one place only.
///
/// @param discovered whether the namespace counts at all
/// @param network of its cluster
/// @param networkGateway the way into that network
/// @param entered whether calls of other networks come in through gateways of it
/// @param trustDomain empty when it is the default
/// @param waypoint what the namespace asks for, decided for workloads
/// @param accounts what it has for workloads of single service accounts
public record NamespaceContext(
        boolean discovered,
        String network,
        Optional<GatewayAddress> networkGateway,
        boolean entered,
        String trustDomain,
        Attachment waypoint,
        AccountChoices accounts) {

    /// What follows from the network alone.
    record NetworkSite(String network, Optional<GatewayAddress> gateway, boolean entered) {}

    NamespaceContext on(NetworkSite site) {
        return new NamespaceContext(
                discovered, site.network(), site.gateway(), site.entered(), trustDomain, waypoint, accounts);
    }

    NamespaceContext with(AccountChoices choices) {
        return new NamespaceContext(discovered, network, networkGateway, entered, trustDomain, waypoint, choices);
    }
}
