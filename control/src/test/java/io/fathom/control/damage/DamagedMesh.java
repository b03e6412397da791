// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.damage;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.ThrowingMesh;
import io.fathom.control.envoy.policy.HttpPolicy;
import io.fathom.control.envoy.policy.PolicyWorld;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Attempt;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorizer;
import io.fathom.model.policy.Policy;
import io.fathom.model.policy.PolicySet;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Two namespaces with pods, services with a waypoint and an ingress gateway; policies come and go. Says what each flow
/// may do, asked of the real path: derivations and the node proxy's authorizer, translators and a model of Envoy.
final class DamagedMesh {
    private static final List<String> PODS = List.of("a/web", "a/db", "b/web", RandomPolicies.ROOT + "/web");
    private static final List<HttpRequest> REQUESTS = HttpRequest.all();
    private static final List<Attempt> ATTEMPTS = attempts();

    private final AmbientMesh mesh = ThrowingMesh.create();
    private final PolicyWorld envoys = PolicyWorld.asking("asks");
    private final Map<HttpPolicy, EnvoyChain> chains = new HashMap<>();
    private Set<ManifestId> held = new HashSet<>();

    DamagedMesh() {
        var batch = new ArrayList<ManifestChange>();
        for (int i = 0; i < PODS.size(); i++) {
            var slash = PODS.get(i).indexOf('/');
            var yaml =
                    """
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: %2$s, namespace: %1$s, labels: {app: %2$s}}
                    spec: {serviceAccountName: x, containers: [{name: a, image: a}]}
                    status: {phase: Running, podIP: 10.9.0.%3$d, podIPs: [{ip: 10.9.0.%3$d}]}
                    """.formatted(PODS.get(i).substring(0, slash), PODS.get(i).substring(slash + 1), i + 1);
            var root = ((Document.Parsed)
                            Documents.ofYaml("pods", yaml, Limits.DEFAULT).getFirst())
                    .root();
            var reading = new ManifestReader(ReaderConfig.of("Kubernetes", "default", RandomPolicies.ROOT))
                    .read(root, _ -> Instant.EPOCH)
                    .getFirst();
            batch.add(new ManifestChange.Put(((Reading.Good) reading).manifest()));
        }
        mesh.apply(batch);
    }

    /// These are the policies from now on.
    void become(List<Manifest> policies) {
        var batch = new ArrayList<ManifestChange>();
        var now = new HashSet<ManifestId>();
        for (var policy : policies) {
            now.add(ManifestId.of(policy));
            batch.add(new ManifestChange.Put(policy));
        }
        held.stream()
                .filter(id -> !now.contains(id))
                .forEach(id -> batch.add(new ManifestChange.Remove(id.kind(), id.key())));
        held = now;
        mesh.apply(batch);
        envoys.become(policies);
    }

    /// One of them instead of the one of that name.
    void replace(Manifest policy) {
        if (!(policy instanceof RequestAuthenticationManifest)) {
            mesh.apply(List.of(new ManifestChange.Put(policy)));
        }
        if (!(policy instanceof PeerAuthenticationManifest)) {
            envoys.replace(policy);
        }
    }

    /// Connections to pods that node proxies let in.
    BitSet connections() {
        var policies = new ArrayList<Authorization>();
        mesh.cut().of(mesh.authorizations()).forEach((_, policy) -> policies.add(policy));
        var set = PolicySet.of(policies);
        var allowed = new BitSet();
        int i = 0;
        for (var pod : PODS) {
            var workload = (Workload) mesh.cut()
                    .of(mesh.addresses())
                    .find("Kubernetes//Pod/" + pod)
                    .orElseThrow();
            List<Policy> applicable = set.applicable(workload);
            for (var attempt : ATTEMPTS) {
                allowed.set(i++, Authorizer.decide(applicable, attempt).isAllowed());
            }
        }
        return allowed;
    }

    /// Some chains come again and again.
    private EnvoyChain chain(HttpPolicy policy) {
        if (chains.size() > 1000) {
            chains.clear();
        }
        return chains.computeIfAbsent(policy, _ -> new EnvoyChain(policy.filters()));
    }

    /// Requests that Envoys let through, also without their token if `tokens` says so.
    BitSet requests(Tokens tokens) {
        var allowed = new BitSet();
        int i = 0;
        for (var policy : List.of(envoys.waypoint("a"), envoys.ingress("a"))) {
            var chain = chain(policy);
            for (var request : REQUESTS) {
                for (var providers : EnvoyChain.Providers.values()) {
                    allowed.set(
                            i++,
                            chain.allows(request, providers)
                                    || (tokens == Tokens.MAY_BE_LEFT_OUT
                                            && chain.allows(request.withoutToken(), providers)));
                }
            }
        }
        return allowed;
    }

    /// Whoever has a token need not show it.
    enum Tokens {
        ARE_SHOWN,
        MAY_BE_LEFT_OUT
    }

    static String connection(int bit) {
        return PODS.get(bit / ATTEMPTS.size()) + " " + ATTEMPTS.get(bit % ATTEMPTS.size());
    }

    static String request(int bit) {
        var each = REQUESTS.size() * 2;
        return List.of("waypoint a", "ingress a").get(bit / each) + " " + REQUESTS.get(bit % each / 2) + " providers "
                + (bit % 2 == 0 ? "first" : "second");
    }

    private static List<Attempt> attempts() {
        var attempts = new ArrayList<Attempt>();
        for (var name : List.of("", "a/x", "b/y", "b/x")) {
            for (var ip : List.of("10.1.0.1", "192.168.0.1")) {
                for (var port : List.of(80, 8080)) {
                    var identity = name.isEmpty()
                            ? Optional.<Identity>empty()
                            : Optional.of(new Identity("cluster.local", name.substring(0, 1), name.substring(2)));
                    attempts.add(new Attempt(
                            identity,
                            Ip.parse(ip).orElseThrow(),
                            new IpPort(Ip.parse("10.9.0.1").orElseThrow(), port)));
                }
            }
        }
        return List.copyOf(attempts);
    }
}
