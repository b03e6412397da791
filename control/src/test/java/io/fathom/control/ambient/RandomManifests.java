// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.Drafts.endpoint;
import static io.fathom.control.ambient.MeshConfigDraft.labelled;

import io.fathom.wire.kube.core.EndpointSliceManifest.AddressType;
import io.fathom.wire.kube.core.PodManifest.Phase;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes.From;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility.Level;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/// Manifests at random out of a world so small that they keep running into each other.
final class RandomManifests {
    private static final List<String> NAMESPACES = List.of("app", "app", "app", "other", "istio-system");
    private static final List<String> NAMES = List.of("a", "b", "b", "c");
    private static final List<String> HOSTS =
            List.of("x.example.com", "y.example.com", "*.example.com", "a.app.svc.cluster.local");
    private static final List<String> NETWORKS = List.of("home", "east", "west");

    private final Random random;

    RandomManifests(Random random) {
        this.random = random;
    }

    Draft<?> next() {
        return switch (random.nextInt(17)) {
            case 0, 1 -> namespace();
            case 2, 3, 4 -> pod();
            case 5, 6 -> service();
            case 7 -> slice();
            case 8 -> entry();
            case 9, 10 -> vm();
            case 11, 12, 13 -> gateway();
            case 14 -> policy();
            case 15 -> Drafts.serviceExport(path()).createdAt(random.nextInt(3));
            default -> global();
        };
    }

    private Draft<?> namespace() {
        var draft = marked(Drafts.namespace(one(NAMESPACES)));
        maybe(() -> draft.label("mesh", "yes"));
        maybe(() -> draft.label("topology.istio.io/network", one(NETWORKS)));
        maybe(() -> draft.annotation("networking.istio.io/traffic-distribution", one(List.of("PreferClose", "Odd"))));
        return draft;
    }

    private Draft<?> pod() {
        var draft = marked(Drafts.pod(path())).uid(one(List.of("u1", "u2"))).node(one(List.of("", "n1", "n2")));
        draft.ips("10.0.0." + random.nextInt(4)).account(one(NAMES));
        maybe(() -> draft.port(one(List.of("http", "admin")), 8000 + random.nextInt(3)));
        maybe(draft::captured);
        rarely(draft::notReady);
        rarely(() -> draft.phase(Phase.SUCCEEDED));
        maybe(() -> draft.label("gateway.networking.k8s.io/gateway-name", one(NAMES)));
        return draft;
    }

    private Draft<?> service() {
        var draft = marked(Drafts.service(path())).vip("10.96.0." + random.nextInt(4));
        maybe(() -> draft.selects("app", one(NAMES)));
        draft.port("http", 80, 8080).namedPort("admin", 81, one(List.of("http", "admin")));
        maybe(() -> draft.label("istio.io/global", "true"));
        rarely(() -> draft.type(ServiceManifest.Type.EXTERNAL_NAME));
        rarely(() -> draft.label("gateway.istio.io/managed", "istio.io-mesh-controller"));
        rarely(draft::localTraffic);
        return draft;
    }

    private Draft<?> slice() {
        var draft = Drafts.slice(path(), one(NAMES)).port(one(List.of("http", "other")), 9090);
        maybe(() -> draft.endpoint("10.5.0." + random.nextInt(3)));
        maybe(() -> draft.pod("10.0.0.1", one(NAMESPACES), one(NAMES), one(List.of("u1", "u2"))));
        rarely(() -> draft.type(AddressType.FQDN));
        return draft;
    }

    /// Always with addresses of its own: automatic ones depend on what was there before.
    private Draft<?> entry() {
        var draft = marked(Drafts.entry(path(), one(HOSTS), one(HOSTS)))
                .address(one(List.of("10.97.0.1", "10.97.0.0/24", "10.96.0.1", "fd00::1")))
                .resolution(one(List.of(Resolution.values())))
                .port("http", 80, one(List.of("HTTP", "TLS")));
        rarely(() -> draft.address("nonsense"));
        maybe(() -> draft.endpoint(place("10.6.0." + random.nextInt(3))));
        maybe(() -> draft.selects("app", one(NAMES)));
        maybe(() -> draft.label("istio.io/global", "true"));
        return draft;
    }

    private Draft<?> vm() {
        return marked(Drafts.vm(path(), place(one(List.of("10.7.0.1", "10.7.0.2", "vm.example.com", "")))));
    }

    private EndpointDraft place(String address) {
        var draft = endpoint(address).account(one(NAMES)).weight(random.nextInt(3));
        maybe(() -> draft.network(one(NETWORKS)));
        maybe(() -> draft.label("app", one(NAMES)));
        maybe(() -> draft.label("istio.io/use-waypoint", one(NAMES)));
        maybe(() -> draft.port("http", 18080));
        return draft;
    }

    private Draft<?> gateway() {
        var draft = Drafts.unready(path())
                .ofClass(one(List.of("istio-waypoint", "istio-waypoint", "mine", "istio-remote", "istio")))
                .allows(one(List.of(From.SAME, From.ALL, From.NONE)));
        draft.createdAt(random.nextInt(3));
        rarely(() -> draft.allowsNamespaces("mesh", "yes"));
        maybe(() -> draft.forAccount(one(List.of("a", "b", "b", ""))));
        maybe(() -> draft.serves(one(List.of("all", "service", "workload", "none"))));
        maybe(() -> draft.label("topology.istio.io/network", one(NETWORKS)));
        maybe(() -> draft.hostname(draft.key().name() + "." + draft.key().namespace() + ".svc.cluster.local"));
        rarely(() -> draft.hostname(one(HOSTS)));
        maybe(() -> draft.ip("10.96.0." + random.nextInt(4)));
        maybe(() -> draft.annotation("ambient.istio.io/waypoint-inbound-binding", "PROXY/15088"));
        return draft;
    }

    private Draft<?> policy() {
        Optional<Map<String, String>> selector =
                random.nextBoolean() ? Optional.of(Map.of("app", one(NAMES))) : Optional.empty();
        if (random.nextBoolean()) {
            return new PolicyDraft(
                    path(),
                    metadata -> new AuthorizationPolicyManifest(
                            metadata,
                            selector,
                            List.of(),
                            one(List.of(AuthorizationPolicyManifest.Action.values())),
                            List.of()));
        }
        var modes = List.of(PeerAuthenticationManifest.Mode.values());
        var ports = new TreeMap<Integer, PeerAuthenticationManifest.Mode>();
        maybe(() -> ports.put(8080, one(modes)));
        var mode = one(modes);
        return new PolicyDraft(path(), metadata -> new PeerAuthenticationManifest(metadata, selector, mode, ports));
    }

    private Draft<?> global() {
        return switch (random.nextInt(3)) {
            case 0 -> Drafts.node(one(List.of("n1", "n2")), one(List.of("eu/1", "us/2/3", "")));
            case 1 -> {
                var draft = Drafts.gatewayClass("mine", one(List.of("istio.io/mesh-controller", "example.com/other")));
                maybe(() -> draft.label("istio.io/waypoint-for", "all"));
                yield draft;
            }
            default -> meshConfig();
        };
    }

    private Draft<?> meshConfig() {
        var draft = Drafts.meshConfig();
        maybe(draft::globalByLabel);
        rarely(() -> draft.discovers("mesh", "yes"));
        rarely(() -> draft.root("other"));
        rarely(() -> draft.trustDomain("corp.example"));
        rarely(() -> draft.scope(LabelSelector.EVERYTHING, labelled("app", "a"), Scope.GLOBAL));
        rarely(() ->
                draft.visibility(Level.NAMESPACE, labelled("mesh", "yes")).visibility(one(List.of(Level.values()))));
        return draft;
    }

    private <B extends Draft<B>> B marked(B draft) {
        draft.createdAt(random.nextInt(3));
        maybe(() -> draft.label("app", one(NAMES)));
        maybe(() -> draft.useWaypoint(one(List.of("a", "b", "none"))));
        rarely(() -> draft.label("istio.io/use-waypoint-namespace", one(NAMESPACES)));
        rarely(() -> draft.label("istio.io/use-waypoint-canary", one(NAMES)));
        rarely(() -> draft.annotation("istio.io/use-waypoint-canary-weight", "" + random.nextInt(120)));
        rarely(() -> draft.label("istio.io/ingress-use-waypoint", "true"));
        rarely(() -> draft.label("istio.io/rev", one(List.of("default", "canary"))));
        return draft;
    }

    private String path() {
        return one(NAMESPACES) + "/" + one(NAMES);
    }

    private <T> T one(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private void maybe(Runnable change) {
        if (random.nextInt(2) == 0) {
            change.run();
        }
    }

    private void rarely(Runnable change) {
        if (random.nextInt(8) == 0) {
            change.run();
        }
    }
}
