// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.control.envoy.view.ProxyRole;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/// How rules are to be written for one chain of one proxy.
record Dialect(PolicyLayer layer, Identity identity, PolicySettings settings) {
    /// What principals may call the trust domain that the mesh has now, whatever its name.
    private static final String LOCAL = "cluster.local";

    /// What the chain can see.
    enum PolicyLayer {
        HTTP,
        TCP
    }

    /// Where the caller's identity is found.
    enum Identity {
        /// Handed on by the listener that ended the tunnel.
        FILTER_STATE,
        /// The certificate of the connection itself.
        CERTIFICATE;

        static Identity of(ProxyRole role) {
            return switch (role) {
                case WAYPOINT, EAST_WEST -> FILTER_STATE;
                case INGRESS -> CERTIFICATE;
            };
        }
    }

    boolean readsHttp() {
        return layer == PolicyLayer.HTTP;
    }

    /// A principal of the mesh's own trust domain means the same account under each name that the domain has.
    List<String> underAllTrustDomains(List<String> principals) {
        var all = new LinkedHashSet<String>();
        principals.forEach(principal -> all.addAll(underAllTrustDomains(principal)));
        return List.copyOf(all);
    }

    private List<String> underAllTrustDomains(String principal) {
        var slash = principal.indexOf('/');
        if (slash <= 0 || principal.startsWith("*/")) {
            return List.of(principal); // says nothing about trust domains
        }
        var named = principal.substring(0, slash);
        var own = settings.trustDomains();
        if (!named.equals(LOCAL) && own.stream().noneMatch(domain -> matches(named, domain))) {
            return List.of(principal);
        }
        var all = new ArrayList<String>();
        for (var domain : own) {
            all.add(matches(named, domain) ? principal : domain + principal.substring(slash));
        }
        return all;
    }

    private static boolean matches(String pattern, String domain) {
        return pattern.startsWith("*") ? domain.endsWith(pattern.substring(1)) : pattern.equals(domain);
    }
}
