// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Source;
import io.fathom.control.Ids;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.gateway.BackendPolicyManifest.Target;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest.AuthorityRef;
import io.fathom.wire.kube.gateway.RouteManifest.BackendRef;
import io.fathom.wire.kube.gateway.RouteManifest.ConnectionRule;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import io.fathom.wire.kube.gateway.RouteManifest.WeightedBackend;
import io.fathom.wire.kube.gateway.TcpRouteManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BackendTlsTablesTest {
    private static final String PEM = Pem.encode(
            RootCertificate.create(KeyAlgorithm.P256.generate(), "users", Instant.EPOCH, Duration.ofDays(1)));

    private final Flow flow = new Flow();
    private final Source<ObjectKey, BackendTlsPolicyManifest> policies = flow.source("policies");
    private final Source<ObjectKey, CaBundleManifest> bundles = flow.source("bundles");
    private final Source<ManifestId, RouteVerdict> routes = flow.source("routes");
    private final Source<ObjectKey, ObjectKey> waypoints = flow.source("waypoints");
    private final BackendTlsTables tables = new BackendTlsTables(
            flow,
            policies,
            bundles,
            new PolicyAncestors(
                    flow,
                    routes,
                    (fetch, kind, service) ->
                            kind.equals("Service") ? fetch.one(waypoints, service) : Optional.empty()));

    private static Metadata metadata(String name, int age) {
        return new Metadata(
                new ObjectKey("c1", "shop", name),
                "",
                Map.of(),
                Map.of(),
                Instant.EPOCH.minusSeconds(age),
                Metadata.Lifecycle.ACTIVE);
    }

    private static BackendTlsPolicyManifest policy(String name, int age, String section, AuthorityRef... authorities) {
        return new BackendTlsPolicyManifest(
                metadata(name, age),
                List.of(new Target("", "Service", "web", section)),
                List.of(authorities),
                authorities.length == 0 ? "System" : "",
                "web.example",
                List.of(),
                Map.of());
    }

    private static AuthorityRef configMap(String name) {
        return new AuthorityRef("", "ConfigMap", name);
    }

    /// A route to `web` that is in effect at a Gateway.
    private void route(String name, String gateway) {
        var backend = new WeightedBackend(new BackendRef("", "Service", "", "web", 80), 1, List.of());
        var route =
                new TcpRouteManifest(metadata(name, 0), List.of(), List.of(new ConnectionRule("", List.of(backend))));
        var verdict = new RouteVerdict(
                route,
                List.of(),
                Set.of(new ListenerKey(new ObjectKey("c1", "edge", gateway), "tcp")),
                Map.of(),
                Set.of(),
                Map.of());
        flow.update(update -> update.put(routes, ManifestId.of(route), verdict));
    }

    private void put(BackendTlsPolicyManifest policy) {
        flow.update(update -> update.put(policies, policy.key(), policy));
    }

    private void put(CaBundleManifest bundle) {
        flow.update(update -> update.put(bundles, bundle.key(), bundle));
    }

    private List<ParentVerdict> verdicts(String name) {
        return requireNonNull(flow.cut().of(tables.verdicts()).get(Ids.of("c1", "BackendTLSPolicy/shop/" + name)));
    }

    private String said(String name) {
        var only = verdicts(name).getFirst();
        return only.accepted().reason() + ", " + only.resolved().reason();
    }

    @Test
    void givenRoutesToATarget_thenTheirGatewaysAreAncestors() {
        put(policy("p", 0, ""));
        assertThat(verdicts("p")).isEmpty();

        route("a", "one");
        route("b", "two");
        route("c", "two");

        assertThat(verdicts("p")).extracting(verdict -> verdict.parent().name()).containsExactly("one", "two");
        assertThat(said("p")).isEqualTo("Accepted, ResolvedRefs");
    }

    @Test
    void givenATargetBehindAWaypoint_thenTheWaypointIsAnAncestor() {
        put(policy("p", 0, ""));
        var web = new ObjectKey("c1", "shop", "web");
        flow.update(update -> update.put(waypoints, web, new ObjectKey("c1", "mesh", "wp")));
        assertThat(verdicts("p")).singleElement().satisfies(verdict -> {
            assertThat(verdict.parent().kind()).isEqualTo("Gateway");
            assertThat(verdict.parent().namespace()).isEqualTo("mesh");
            assertThat(verdict.parent().name()).isEqualTo("wp");
        });

        flow.update(update -> update.remove(waypoints, web));
        assertThat(verdicts("p")).isEmpty();
    }

    @Test
    void givenARouteOfAnotherServiceToATarget_thenThatServicesWaypointIsAnAncestor() {
        put(policy("p", 0, ""));
        var backend = new WeightedBackend(new BackendRef("", "Service", "", "web", 80), 1, List.of());
        var parent = new ParentRef("", "Service", "", "front", "", 0);
        var route = new TcpRouteManifest(
                metadata("r", 0), List.of(parent), List.of(new ConnectionRule("", List.of(backend))));
        RouteAttachPoint place =
                new RouteAttachPoint.AtService(new ObjectKey("c1", "shop", "front-wp"), "shop/front.example", 80);
        var verdict = new RouteVerdict(route, List.of(), Set.of(), Map.of(place, List.of()), Set.of(), Map.of());
        flow.update(update -> update.put(routes, ManifestId.of(route), verdict));
        assertThat(verdicts("p")).extracting(own -> own.parent().name()).containsExactly("front-wp");
    }

    @Test
    void givenReferences_thenTheFirstWrongOneIsTold() {
        route("a", "one");
        put(new CaBundleManifest(metadata("good", 0), PEM));
        put(new CaBundleManifest(metadata("text", 0), "no certificate"));
        put(policy("good", 0, "a", configMap("good")));
        put(policy("gone", 0, "b", configMap("gone")));
        put(policy("text", 0, "c", configMap("text")));
        put(policy("kind", 0, "d", new AuthorityRef("", "Secret", "good")));
        put(policy("some", 0, "e", configMap("gone"), configMap("good")));

        assertThat(said("good")).isEqualTo("Accepted, ResolvedRefs");
        assertThat(said("gone")).isEqualTo("NoValidCACertificate, InvalidCACertificateRef");
        assertThat(said("text")).isEqualTo("NoValidCACertificate, InvalidCACertificateRef");
        assertThat(said("kind")).isEqualTo("NoValidCACertificate, InvalidKind");
        assertThat(said("some")).isEqualTo("Accepted, InvalidCACertificateRef");

        put(new CaBundleManifest(metadata("gone", 0), PEM));
        assertThat(said("gone")).isEqualTo("Accepted, ResolvedRefs");
    }

    @Test
    void givenTwoPoliciesForATarget_thenTheYoungerOneIsInConflict() {
        route("a", "one");
        var old = policy("z-old", 9, "");
        put(policy("young", 1, ""));
        put(old);
        put(policy("port", 0, "https"));

        assertThat(said("z-old")).isEqualTo("Accepted, ResolvedRefs");
        assertThat(said("young")).isEqualTo("Conflicted, ResolvedRefs");
        assertThat(said("port")).isEqualTo("Accepted, ResolvedRefs");

        flow.update(update -> update.remove(policies, old.key()));
        assertThat(said("young")).isEqualTo("Accepted, ResolvedRefs");
    }
}
