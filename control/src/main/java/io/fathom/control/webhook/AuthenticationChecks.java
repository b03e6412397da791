// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import io.fathom.wire.kube.tree.Field;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;

/// What PeerAuthentications and RequestAuthentications need beyond their form.
final class AuthenticationChecks {
    private AuthenticationChecks() {}

    static void peer(Field object, Findings findings) {
        var spec = object.at("spec");
        findings.on(spec, _ -> {
            var ports = spec.at("portLevelMtls");
            var selects = !spec.at("selector").at("matchLabels").entries().isEmpty();
            if (ports.isPresent() && !selects) {
                findings.refuse(
                        ports,
                        "needs a selector: a whole namespace or mesh has no ports",
                        "add selector.matchLabels, or set mtls.mode alone");
            }
            if (ports.isPresent() && ports.entries().isEmpty()) {
                findings.refuse(ports, "is empty", "delete it, or add a port");
            }
        });
    }

    static void request(Field object, Findings findings) {
        var spec = object.at("spec");
        findings.on(spec, _ -> {
            var targeted =
                    spec.at("targetRef").isPresent() || spec.at("targetRefs").isPresent();
            if (targeted && spec.at("selector").isPresent()) {
                findings.refuse(
                        spec.at("selector"), "cannot be used together with targetRefs", "keep targetRefs alone");
            } else if (!targeted) {
                findings.warn("ztunnel does not see tokens: without targetRefs this is not enforced in an ambient mesh."
                        + " Use targetRefs to enforce it at a waypoint");
            }
        });
        var issuers = new HashSet<String>();
        findings.onEach(spec.at("jwtRules"), rule -> {
            var issuer = rule.at("issuer").requiredText();
            if (!issuers.add(issuer)) {
                findings.warn(rule.path() + ".issuer: " + issuer + " has several rules");
            }
            if (rule.at("jwks").isPresent() && !rule.at("jwksUri").text().isEmpty()) {
                findings.refuse(rule.at("jwksUri"), "cannot be used together with jwks", "keep one of them");
            }
            uri(rule.at("jwksUri"), findings);
            findings.onEach(rule.at("fromHeaders"), header -> {
                var _ = header.at("name").requiredText();
            });
        });
    }

    private static void uri(Field uri, Findings findings) {
        if (uri.text().isEmpty()) {
            return;
        }
        try {
            var parsed = new URI(uri.text());
            if (parsed.getHost() != null && uri.text().matches("https?://.*")) {
                return;
            }
        } catch (URISyntaxException e) {
            // told below
        }
        findings.refuse(uri, "is \"" + uri.text() + "\", which is no address of a key set", "write https://...");
    }
}
