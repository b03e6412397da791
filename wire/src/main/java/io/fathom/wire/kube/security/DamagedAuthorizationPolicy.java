// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.manifest.ExactFields;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Mistakes;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Rule;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// What is in force of an AuthorizationPolicy with mistakes. It never lets pass what the policy that its author meant
/// would not. In ALLOW a rule that cannot be read matches nothing; in DENY and CUSTOM what cannot be read of it matches
/// everything; an action that cannot be read denies everything. Pure.
///
/// A rule of ALLOW goes as a whole: node proxies leave out rules with attributes of HTTP, and what cannot be read may
/// have been one.
final class DamagedAuthorizationPolicy {
    private final DamagedParts parts;
    private final Field spec;

    private DamagedAuthorizationPolicy(Field object, Mistakes mistakes) {
        this.parts = new DamagedParts(object, mistakes, AuthorizationPolicyReader.SPEC);
        this.spec = object.at("spec");
    }

    static AuthorizationPolicyManifest read(Metadata metadata, Field object, Mistakes mistakes, Interner interner) {
        var policy = new DamagedAuthorizationPolicy(object, mistakes);
        var reach = PolicyReach.readDamaged(policy.parts, policy.spec, interner);
        var action = policy.action();
        var rules = action.map(known -> policy.rules(known, reach.isPresent()))
                .orElseGet(() -> List.of(AuthorizationPolicyReader.everything()));
        var place = reach.isPresent()
                ? ""
                : " in all of namespace " + metadata.key().namespace();
        return new AuthorizationPolicyManifest(
                metadata,
                reach.flatMap(PolicyReach::selector),
                reach.map(PolicyReach::targets).orElse(List.of()),
                action.orElse(Action.DENY),
                rules,
                policy.provider(),
                Optional.of(new Damage(
                        reach.isPresent() ? Damage.Reach.AS_WRITTEN : Damage.Reach.ALL_OF_NAMESPACE,
                        effect(action, rules) + place)));
    }

    /// Empty when it cannot be told. Without one, a key that nobody knows may be it.
    private Optional<Action> action() {
        if (parts.isLost() || (parts.has("action") ? !spec.at("action").isPresent() : parts.mayLackScalar())) {
            return Optional.empty();
        }
        return parts.read(spec.at("action"), AuthorizationPolicyReader::action)
                .filter(action -> action == Action.DENY || action == Action.CUSTOM || !parts.has("provider"));
    }

    private String provider() {
        return parts.isLost()
                ? ""
                : parts.read(spec.at("provider"), AuthorizationPolicyReader::provider)
                        .orElse("");
    }

    private List<Rule> rules(Action action, boolean reachIsKnown) {
        return switch (action) {
            case ALLOW -> reachIsKnown && !parts.hasUnknown() && !parts.hasDoubtfulMetadata() ? readable() : List.of();
            case AUDIT -> readable();
            case DENY, CUSTOM -> widened();
        };
    }

    private List<Rule> readable() {
        return isList(spec.at("rules"))
                ? spec.at("rules").items().stream()
                        .flatMap(rule -> parts.read(rule, AuthorizationPolicyReader::rule).stream())
                        .toList()
                : List.of();
    }

    private List<Rule> widened() {
        var rules = spec.at("rules");
        if (!isList(rules) || rules.items().isEmpty() || parts.isCutOff()) { // there may have been another rule
            return List.of(AuthorizationPolicyReader.everything());
        }
        return rules.items().stream().map(this::widened).toList();
    }

    private Rule widened(Field rule) {
        if (!(rule.tree() instanceof Tree.Mapping)
                || !AuthorizationPolicyReader.RULE.containsAll(rule.entries().keySet())) {
            return AuthorizationPolicyReader.everything();
        }
        return new Rule(
                anyOrAll(rule.at("from"), AuthorizationPolicyReader::source),
                anyOrAll(rule.at("to"), AuthorizationPolicyReader::operation),
                conditions(rule.at("when")));
    }

    /// All entries, or none: then the axis matches everything.
    private <T> List<T> anyOrAll(Field entries, Function<Field, T> entry) {
        return parts.read(entries, list -> ExactFields.items(list, entry)).orElse(List.of());
    }

    private List<AuthorizationPolicyManifest.Condition> conditions(Field when) {
        var readable = new ArrayList<AuthorizationPolicyManifest.Condition>();
        if (isList(when)) {
            for (var condition : when.items()) {
                parts.read(condition, AuthorizationPolicyReader::condition).ifPresent(readable::add);
            }
        }
        return readable;
    }

    private static boolean isList(Field field) {
        return field.isList();
    }

    private static String effect(Optional<Action> action, List<Rule> rules) {
        return action.map(known -> switch (known) {
                    case ALLOW -> rules.isEmpty() ? "allows nothing" : "allows nothing but what its readable rules say";
                    case DENY -> "denies everything that its readable parts match";
                    case CUSTOM -> "has its provider decide about everything that its readable parts match";
                    case AUDIT -> "has no effect on traffic, like every AUDIT policy";
                })
                .orElse("denies everything");
    }
}
