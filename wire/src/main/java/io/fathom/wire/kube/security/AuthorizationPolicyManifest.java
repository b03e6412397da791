// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An AuthorizationPolicy, values as written.
///
/// @param selector empty when the policy has none; present but without labels when it selects nothing in particular
/// @param provider who decides when the action is CUSTOM; else empty
/// @param damage what it is if it could not be read as written; then the other components are what is in force
public record AuthorizationPolicyManifest(
        Metadata metadata,
        Optional<Map<String, String>> selector,
        List<PolicyTarget> targets,
        Action action,
        List<Rule> rules,
        String provider,
        Optional<Damage> damage)
        implements Manifest {

    public enum Action {
        ALLOW,
        DENY,
        AUDIT,
        CUSTOM
    }

    /// A `targetRef` or one of the `targetRefs`; the group of core kinds is empty.
    public record PolicyTarget(String group, String kind, String name) {}

    public record Rule(List<Source> from, List<Operation> to, List<Condition> when) {
        public Rule {
            from = List.copyOf(from);
            to = List.copyOf(to);
            when = List.copyOf(when);
        }
    }

    /// What an attribute must be, and what it must not be: `principals` and `notPrincipals`.
    public record Terms(List<String> values, List<String> notValues) {}

    public record Source(
            Terms principals,
            Terms requestPrincipals,
            Terms namespaces,
            Terms serviceAccounts,
            Terms ipBlocks,
            Terms remoteIpBlocks,
            Terms trustDomains) {}

    public record Operation(Terms hosts, Terms ports, Terms methods, Terms paths) {}

    public record Condition(String key, List<String> values, List<String> notValues) {}

    public AuthorizationPolicyManifest {
        selector = selector.map(Map::copyOf);
        targets = List.copyOf(targets);
        rules = List.copyOf(rules);
    }

    /// One that decides itself.
    public AuthorizationPolicyManifest(
            Metadata metadata,
            Optional<Map<String, String>> selector,
            List<PolicyTarget> targets,
            Action action,
            List<Rule> rules) {
        this(metadata, selector, targets, action, rules, "", Optional.empty());
    }

    @Override
    public boolean protects() {
        return true;
    }
}
