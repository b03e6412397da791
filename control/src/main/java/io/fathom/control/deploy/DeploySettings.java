// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.util.Set;

/// What deployed gateways need to know of their control plane, and which classes there are.
///
/// @param revision never empty; `default` for the usual one
/// @param domain of the cluster's host names
/// @param network of this cluster, where the system namespace has no label; empty when there is only one
/// @param image of the proxy, with Envoy and its companion
/// @param pullPolicy of the image; empty leaves it to the cluster
/// @param logLevel of Envoy
public record DeploySettings(
        String revision,
        String systemNamespace,
        String domain,
        String clusterId,
        String network,
        String image,
        String pullPolicy,
        String logLevel,
        Set<Option> options) {

    /// What may be switched on.
    public enum Option {
        /// Proxies exchange keys with X25519MLKEM768 only.
        POST_QUANTUM_TLS,
        /// Proxies exchange keys with P-256 and P-384 only.
        FIPS_TLS,
        /// Classes that are missing are created.
        CLASSES,
        /// Gateways that ask for Envoy alone get a companion all the same, as it makes no difference to users.
        ALWAYS_COMPANIONS
    }

    public DeploySettings {
        options = Set.copyOf(options);
        revision = revision.isEmpty() ? "default" : revision;
    }

    /// Where certificates and configuration come from.
    String controlPlane() {
        var name = revision.equals("default") ? "istiod" : "istiod-" + revision;
        return name + "." + systemNamespace + ".svc:15012";
    }

    /// What the TLS of proxies is kept to, in the words of `COMPLIANCE_POLICY`; empty for anything.
    String compliance() {
        if (has(Option.POST_QUANTUM_TLS)) {
            return KeyExchange.POST_QUANTUM.compliance();
        }
        return has(Option.FIPS_TLS) ? KeyExchange.FIPS_140_2.compliance() : KeyExchange.ANY.compliance();
    }

    boolean has(Option option) {
        return options.contains(option);
    }
}
