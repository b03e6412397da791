// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import org.junit.jupiter.api.Test;

class MeshQueriesTest {
    private static final ReaderConfig CANARY = ReaderConfig.of("c1", "canary", "istio-system");

    @Test
    void thenEveryKindIsAskedForByItsName() {
        assertThat(MeshQueries.of(CANARY))
                .extracting(KubeQuery::toString)
                .contains(
                        "pods with status.phase!=Failed",
                        "services",
                        "namespaces",
                        "nodes",
                        "endpointslices.discovery.k8s.io",
                        "gateways.gateway.networking.k8s.io",
                        "gateways.networking.istio.io",
                        "gatewayclasses.gateway.networking.k8s.io",
                        "serviceentries.networking.istio.io",
                        "workloadentries.networking.istio.io",
                        "authorizationpolicies.security.istio.io",
                        "peerauthentications.security.istio.io",
                        "requestauthentications.security.istio.io");
    }

    @Test
    void givenARevision_thenOnlyItsMeshConfigIsAskedFor() {
        assertThat(MeshQueries.of(CANARY))
                .extracting(KubeQuery::target)
                .anyMatch(target -> target.startsWith("/api/v1/namespaces/istio-system/configmaps")
                        && target.contains("metadata.name%3Distio-canary"));
    }

    @Test
    void givenKindsOfWhichMetadataIsEnough_thenNoMoreIsAskedFor() {
        assertThat(MeshQueries.of(CANARY).stream()
                        .filter(query -> query.shape() instanceof KubeQuery.Shape.Metadata)
                        .map(query -> query.resource().plural()))
                .containsExactlyInAnyOrder("namespaces", "nodes");
    }

    @Test
    void givenOlderVersionsOfAKind_thenTheyAreTriedLater() {
        var entries = MeshQueries.of(CANARY).stream()
                .filter(query -> query.resource().plural().equals("serviceentries"))
                .findFirst()
                .orElseThrow();
        assertThat(entries.versions())
                .extracting(query -> query.resource().version())
                .containsExactly("v1", "v1beta1", "v1alpha3");
    }

    @Test
    void givenSecrets_thenOnlyThoseAreAskedForThatSomebodyNames() {
        assertThat(MeshQueries.of(CANARY))
                .noneMatch(query -> query.resource().plural().equals("secrets"));
        var secret = new ManifestId(CredentialManifest.class, new ObjectKey("c1", "shop", "tls"));
        assertThat(MeshQueries.named(secret)).hasToString("secrets in shop with metadata.name=tls");
    }

    @Test
    void givenConfigMaps_thenOnlyTheMeshConfigTrustBundlesAndThoseAreAskedForThatSomebodyNames() {
        assertThat(MeshQueries.of(CANARY))
                .filteredOn(query -> query.resource().plural().equals("configmaps"))
                .extracting(Object::toString)
                .containsExactlyInAnyOrder(
                        "configmaps in istio-system with metadata.name=istio-canary",
                        "configmaps in istio-system labelled fathom.io/trust-bundle");
        var bundle = new ManifestId(CaBundleManifest.class, new ObjectKey("c1", "shop", "ca"));
        assertThat(MeshQueries.named(bundle)).hasToString("configmaps in shop with metadata.name=ca");
    }
}
