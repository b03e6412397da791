// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.wire.kube.manifest.ExactFields;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Mistakes;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Condition;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Operation;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Rule;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Source;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Terms;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/// Reads AuthorizationPolicies, exactly: what Kubernetes or the webhook of Istio would refuse is a mistake.
public final class AuthorizationPolicyReader implements KindReader {
    static final Set<String> SPEC = Set.of("selector", "targetRef", "targetRefs", "action", "rules", "provider");
    static final Set<String> RULE = Set.of("from", "to", "when");

    private static final Set<String> PROVIDER = Set.of("name");
    private static final Set<String> FROM = Set.of("source");
    private static final Set<String> TO = Set.of("operation");
    private static final Set<String> WHEN = Set.of("key", "values", "notValues");
    private static final Set<String> SOURCE = Set.of(
            "principals",
            "notPrincipals",
            "requestPrincipals",
            "notRequestPrincipals",
            "namespaces",
            "notNamespaces",
            "serviceAccounts",
            "notServiceAccounts",
            "ipBlocks",
            "notIpBlocks",
            "remoteIpBlocks",
            "notRemoteIpBlocks",
            "trustDomains",
            "notTrustDomains");
    private static final Set<String> OPERATION =
            Set.of("hosts", "notHosts", "ports", "notPorts", "methods", "notMethods", "paths", "notPaths");
    private static final Choices<Action> ACTIONS = Choices.of(Action.class, Action::name);

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = ExactFields.spec(object, SPEC);
        var reach = PolicyReach.read(spec, interner);
        var action = action(spec.at("action"));
        var rules = spec.at("rules").items().stream()
                .map(AuthorizationPolicyReader::rule)
                .toList();
        if (rules.isEmpty() && (action == Action.DENY || action == Action.CUSTOM)) {
            throw spec.at("rules").missing("say what is meant; for everything write rules: [{}]");
        }
        var provider = provider(spec.at("provider"));
        if (spec.at("provider").isPresent() != (action == Action.CUSTOM)) {
            throw action == Action.CUSTOM
                    ? spec.at("provider").at("name").missing("name the extension provider that decides")
                    : spec.at("provider").wrong("manifest-bad-value", "is only for the action CUSTOM", "delete it");
        }
        return new AuthorizationPolicyManifest(
                metadata, reach.selector(), reach.targets(), action, rules, provider, Optional.empty());
    }

    @Override
    public boolean protects() {
        return true;
    }

    @Override
    public Optional<Manifest> readDamaged(Metadata metadata, Field object, Mistakes mistakes, Interner interner) {
        return Optional.of(DamagedAuthorizationPolicy.read(metadata, object, mistakes, interner));
    }

    static Action action(Field action) {
        return action.oneOf(ACTIONS, Action.ALLOW);
    }

    static String provider(Field provider) {
        return provider.isPresent()
                ? ExactFields.map(provider, PROVIDER).at("name").requiredText()
                : "";
    }

    static Rule rule(Field rule) {
        if (!rule.isPresent()) {
            throw rule.missing("write {} for everything, or delete it");
        }
        ExactFields.map(rule, RULE);
        return new Rule(
                ExactFields.items(rule.at("from"), AuthorizationPolicyReader::source),
                ExactFields.items(rule.at("to"), AuthorizationPolicyReader::operation),
                ExactFields.items(rule.at("when"), AuthorizationPolicyReader::condition));
    }

    /// An entry of `from`.
    static Source source(Field from) {
        var source = ExactFields.requiredMap(ExactFields.requiredMap(from, FROM).at("source"), SOURCE);
        var read = new Source(
                terms(source.at("principals"), source.at("notPrincipals"), PolicyValues::patterns),
                terms(source.at("requestPrincipals"), source.at("notRequestPrincipals"), PolicyValues::texts),
                terms(source.at("namespaces"), source.at("notNamespaces"), PolicyValues::texts),
                terms(source.at("serviceAccounts"), source.at("notServiceAccounts"), PolicyValues::accounts),
                terms(source.at("ipBlocks"), source.at("notIpBlocks"), PolicyValues::blocks),
                terms(source.at("remoteIpBlocks"), source.at("notRemoteIpBlocks"), PolicyValues::blocks),
                terms(source.at("trustDomains"), source.at("notTrustDomains"), PolicyValues::patterns));
        checkSays(source);
        var accounts = isAny(source, "serviceAccounts", "notServiceAccounts");
        if (accounts && isAny(source, "principals", "notPrincipals", "namespaces", "notNamespaces")) {
            throw source.wrong(
                    "manifest-bad-value",
                    "has serviceAccounts beside principals or namespaces",
                    "keep serviceAccounts, or principals and namespaces");
        }
        return read;
    }

    private static Terms terms(Field values, Field notValues, Function<Field, List<String>> reader) {
        return new Terms(reader.apply(values), reader.apply(notValues));
    }

    /// An entry of `to`.
    static Operation operation(Field to) {
        var operation = ExactFields.requiredMap(ExactFields.requiredMap(to, TO).at("operation"), OPERATION);
        var read = new Operation(
                terms(operation.at("hosts"), operation.at("notHosts"), PolicyValues::patterns),
                terms(operation.at("ports"), operation.at("notPorts"), PolicyValues::ports),
                terms(operation.at("methods"), operation.at("notMethods"), PolicyValues::patterns),
                terms(operation.at("paths"), operation.at("notPaths"), PolicyValues::texts));
        checkSays(operation);
        return read;
    }

    static Condition condition(Field when) {
        ExactFields.requiredMap(when, WHEN);
        var key = PolicyValues.key(when.at("key"));
        var read =
                new Condition(key, PolicyValues.of(key, when.at("values")), PolicyValues.of(key, when.at("notValues")));
        if (read.values().isEmpty() && read.notValues().isEmpty()) {
            throw when.at("values").wrong("manifest-missing-field", "is missing, and so is notValues", "list a value");
        }
        return read;
    }

    /// A match without attributes would match anything, or nothing, as each proxy likes.
    private static void checkSays(Field match) {
        if (match.entries().values().stream().allMatch(values -> values.items().isEmpty())) {
            throw match.missing("say what shall match, or delete the entry");
        }
    }

    private static boolean isAny(Field map, String... keys) {
        return Stream.of(keys).anyMatch(key -> map.at(key).isPresent());
    }

    /// Matches whatever there is.
    static Rule everything() {
        return new Rule(List.of(), List.of(), List.of());
    }
}
