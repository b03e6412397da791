// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.ThrowingMesh;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.model.trust.PeerTrust;
import io.fathom.model.trust.PeerTrust.TrustConsent;
import io.fathom.model.trust.TrustBundle;
import io.fathom.model.trust.TrustMap;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.trust.TrustBundleManifest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TrustTablesTest {
    private final AmbientMesh mesh = ThrowingMesh.create();

    private static TrustRoot root(String content) {
        return TrustRoot.of(content.getBytes(StandardCharsets.UTF_8));
    }

    /// @param age the smaller, the older
    private static TrustBundleManifest bundle(String cluster, String domain, String root, int age) {
        return new TrustBundleManifest(
                new Metadata(
                        new ObjectKey("Kubernetes", "istio-system", "istio-trust-peer-" + cluster),
                        "",
                        Map.of(),
                        Map.of(),
                        Instant.EPOCH.plusSeconds(age),
                        Metadata.Lifecycle.ACTIVE),
                new PeerTrust(cluster, TrustBundle.of(domain, List.of(root(root))), TrustConsent.OWN_DOMAIN));
    }

    private void put(TrustBundleManifest... bundles) {
        var batch = new ArrayList<ManifestChange>();
        for (var bundle : bundles) {
            batch.add(new ManifestChange.Put(bundle));
        }
        mesh.apply(batch);
    }

    private TrustMap map() {
        return mesh.trust().map(mesh.cut());
    }

    private List<String> problems() {
        var found = new ArrayList<String>();
        mesh.cut().of(mesh.problems()).forEach((_, problem) -> found.add(text(problem)));
        return found;
    }

    private static String text(ObjectProblem problem) {
        return problem.problem().code() + " " + problem.object().key().name();
    }

    @Test
    void givenNoRootsOfOurOwnYet_thenNobodyIsTrusted() {
        put(bundle("b", "b.example", "b", 1));
        assertThat(map()).isEqualTo(TrustMap.NOTHING);
    }

    @Test
    void givenABundle_whenItComesAndGoes_thenItsDomainDoes() {
        mesh.trust().ownRoots(Set.of(root("ours")));
        assertThat(map().domains().keySet()).containsExactly("cluster.local");
        var bundle = bundle("b", "b.example", "b", 1);
        put(bundle);
        assertThat(map().roots("b.example")).containsExactly(root("b"));
        assertThat(map().roots("cluster.local")).containsExactly(root("ours"));
        mesh.apply(List.of(new ManifestChange.Remove(
                TrustBundleManifest.class, bundle.metadata().key())));
        assertThat(map().domains().keySet()).containsExactly("cluster.local");
    }

    @Test
    void givenABundleForOurDomain_thenItDoesNotCount_andIsAProblem() {
        mesh.trust().ownRoots(Set.of(root("ours")));
        put(bundle("b", "cluster.local", "b", 1));
        assertThat(map().roots("cluster.local")).containsExactly(root("ours"));
        assertThat(problems()).containsExactly("trust-domain-taken istio-trust-peer-b");
    }

    @Test
    void givenTwoClustersWithOneDomain_thenTheOlderBundleCounts_whateverCameFirst() {
        mesh.trust().ownRoots(Set.of(root("ours")));
        put(bundle("a", "b.example", "a", 2));
        put(bundle("b", "b.example", "b", 1));
        assertThat(map().roots("b.example")).containsExactly(root("b"));
        assertThat(problems()).containsExactly("trust-domain-taken istio-trust-peer-a");
    }
}
