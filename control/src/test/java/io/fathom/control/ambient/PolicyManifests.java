// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Condition;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Operation;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Rule;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Source;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Terms;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Policies for tests, with what a test does not name left out.
public final class PolicyManifests {
    public static final String ROOT = "istio-system";

    private PolicyManifests() {}

    public static ObjectKey key(String path) {
        var slash = path.indexOf('/');
        return new ObjectKey("Kubernetes", path.substring(0, slash), path.substring(slash + 1));
    }

    static Metadata metadata(String path, Map<String, String> annotations, long age) {
        return new Metadata(
                key(path), "", Map.of(), annotations, Instant.ofEpochSecond(1_000 - age), Metadata.Lifecycle.ACTIVE);
    }

    public static AuthorizationPolicyManifest policy(String path, Action action, Rule... rules) {
        return new AuthorizationPolicyManifest(
                metadata(path, Map.of(), 0), Optional.empty(), List.of(), action, List.of(rules));
    }

    public static AuthorizationPolicyManifest select(AuthorizationPolicyManifest policy, Map<String, String> labels) {
        return new AuthorizationPolicyManifest(
                policy.metadata(), Optional.of(labels), policy.targets(), policy.action(), policy.rules());
    }

    public static AuthorizationPolicyManifest target(AuthorizationPolicyManifest policy, PolicyTarget... targets) {
        return new AuthorizationPolicyManifest(
                policy.metadata(), policy.selector(), List.of(targets), policy.action(), policy.rules());
    }

    public static AuthorizationPolicyManifest dryRun(AuthorizationPolicyManifest policy, String value) {
        return new AuthorizationPolicyManifest(
                metadata(policy.key().path(), Map.of("istio.io/dry-run", value), 0),
                policy.selector(),
                policy.targets(),
                policy.action(),
                policy.rules());
    }

    /// A policy for workloads with these labels that allows namespace `a`.
    public static AuthorizationPolicyManifest selecting(String path, Map<String, String> labels) {
        return select(policy(path, Action.ALLOW, rule(source("namespaces", "a"))), labels);
    }

    public static Rule rule(Object... clauses) {
        return new Rule(
                List.of(clauses).stream()
                        .filter(Source.class::isInstance)
                        .map(Source.class::cast)
                        .toList(),
                List.of(clauses).stream()
                        .filter(Operation.class::isInstance)
                        .map(Operation.class::cast)
                        .toList(),
                List.of(clauses).stream()
                        .filter(Condition.class::isInstance)
                        .map(Condition.class::cast)
                        .toList());
    }

    public static Source source(String field, String... values) {
        return source(Map.of(field, List.of(values)));
    }

    public static Source source(Map<String, List<String>> fields) {
        return new Source(
                terms(fields, "principals", "notPrincipals"),
                terms(fields, "requestPrincipals", "notRequestPrincipals"),
                terms(fields, "namespaces", "notNamespaces"),
                terms(fields, "serviceAccounts", "notServiceAccounts"),
                terms(fields, "ipBlocks", "notIpBlocks"),
                terms(fields, "remoteIpBlocks", "notRemoteIpBlocks"),
                terms(fields, "trustDomains", "notTrustDomains"));
    }

    private static Terms terms(Map<String, List<String>> fields, String values, String notValues) {
        return new Terms(of(fields, values), of(fields, notValues));
    }

    public static Operation operation(String field, String... values) {
        return operation(Map.of(field, List.of(values)));
    }

    public static Operation operation(Map<String, List<String>> fields) {
        return new Operation(
                terms(fields, "hosts", "notHosts"),
                terms(fields, "ports", "notPorts"),
                terms(fields, "methods", "notMethods"),
                terms(fields, "paths", "notPaths"));
    }

    public static Condition when(String key, String... values) {
        return new Condition(key, List.of(values), List.of());
    }

    public static Condition when(String key, List<String> values, List<String> notValues) {
        return new Condition(key, values, notValues);
    }

    public static PeerAuthenticationManifest peer(String path, Mode mode) {
        return new PeerAuthenticationManifest(metadata(path, Map.of(), 0), Optional.empty(), mode, new TreeMap<>());
    }

    public static PeerAuthenticationManifest peer(
            String path, Mode mode, Map<String, String> labels, Map<Integer, Mode> ports) {
        return new PeerAuthenticationManifest(
                metadata(path, Map.of(), 0), Optional.of(labels), mode, new TreeMap<>(ports));
    }

    /// The same, created that many seconds before all others.
    public static PeerAuthenticationManifest older(PeerAuthenticationManifest peer, long seconds) {
        return new PeerAuthenticationManifest(
                metadata(peer.key().path(), Map.of(), seconds), peer.selector(), peer.mode(), peer.portModes());
    }

    private static List<String> of(Map<String, List<String>> fields, String name) {
        return fields.getOrDefault(name, List.of());
    }
}
