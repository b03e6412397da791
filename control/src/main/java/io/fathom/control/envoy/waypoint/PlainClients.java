// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.Principal;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.type.matcher.v3.FilterStateMatcher;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;

/// Clients that called a workload in plain text, and whom its node proxy sends back through the waypoint. Their tunnels
/// say so in a header and show the workload's own certificate, which says nothing about the client: it has no
/// principal, and the address that the node proxy saw.
///
/// Only the workload that a tunnel leads to may open it for such a client: who lies about one, lies to itself.
final class PlainClients {
    private static final String HEADER = "x-fathom-source";
    private static final String IS_MEANT = "'" + HEADER + "' in request.headers";
    private static final String CLIENT = "'for=\"([^\"]+)\".*'";

    /// Set to [#YES] if the tunnel comes from where it leads to, and says who the client is.
    static final String STATE = "io.fathom.plain_client";

    private static final String YES = "yes";

    /// Who opened the tunnel; nobody for such a client.
    static final String PRINCIPAL = cel(IS_MEANT + " ? '' : connection.uri_san_peer_certificate");

    /// Where the client is.
    static final String ADDRESS =
            cel(IS_MEANT + " ? re.capture(request.headers['forwarded'], " + CLIENT + ") : source.address");

    /// The value of [#STATE].
    static final String IS_TRUE = cel(IS_MEANT + " && 'forwarded' in request.headers"
            + " && request.headers['forwarded'].matches('^for=\"[^\"]+\"')"
            + " && request.host.startsWith(re.capture(source.address, '(.+:)[0-9]+')) ? '" + YES + "' : ''");

    private PlainClients() {}

    private static String cel(String expression) {
        return "%CEL(" + expression + ")%";
    }

    /// Refuses tunnels with the header that are not what it says.
    static HttpFilter guard() {
        var meant = Principal.newBuilder()
                .setHeader(HeaderMatcher.newBuilder().setName(HEADER).setPresentMatch(true));
        var isTrue = Principal.newBuilder()
                .setFilterState(FilterStateMatcher.newBuilder()
                        .setKey(STATE)
                        .setStringMatch(StringMatcher.newBuilder().setExact(YES)));
        var lie = Principal.newBuilder()
                .setAndIds(Principal.Set.newBuilder()
                        .addIds(meant)
                        .addIds(Principal.newBuilder().setNotId(isTrue)));
        var rules = RBAC.newBuilder()
                .setAction(RBAC.Action.DENY)
                .putPolicies(
                        "not-the-workload-itself",
                        Policy.newBuilder()
                                .addPermissions(Permission.newBuilder().setAny(true))
                                .addPrincipals(lie)
                                .build());
        var filter = io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC.newBuilder();
        return Typed.http("plain_clients", filter.setRules(rules).build());
    }
}
