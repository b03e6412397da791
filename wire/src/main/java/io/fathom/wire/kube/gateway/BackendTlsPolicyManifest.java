// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;
import java.util.Map;

/// A BackendTLSPolicy: gateways speak TLS to the services that it names.
///
/// @param hostname sent as the server's name, and expected in its certificate unless there are `subjectAltNames`
/// @param authorities ConfigMaps or other objects that hold CA certificates
/// @param wellKnown which built-in CA certificates count; empty for none
public record BackendTlsPolicyManifest(
        Metadata metadata,
        List<Target> targets,
        List<AuthorityRef> authorities,
        String wellKnown,
        String hostname,
        List<AltName> subjectAltNames,
        Map<String, String> options)
        implements BackendPolicyManifest {

    /// An object of the policy's namespace; the group of core kinds is empty.
    public record AuthorityRef(String group, String kind, String name) {}

    /// A name of which the certificate must have one.
    public record AltName(Type type, String value) {
        public enum Type {
            HOSTNAME,
            URI
        }
    }

    public BackendTlsPolicyManifest {
        targets = List.copyOf(targets);
        authorities = List.copyOf(authorities);
        subjectAltNames = List.copyOf(subjectAltNames);
        options = Map.copyOf(options);
    }
}
