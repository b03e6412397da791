// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.pods;

import static io.fathom.node.cni.fakes.FakeCluster.AMBIENT;
import static io.fathom.node.cni.fakes.FakeCluster.annotated;
import static io.fathom.node.cni.fakes.FakeCluster.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.node.cni.fakes.FakeCluster;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodePodsTest {
    private static final PodManifest WEB = pod("shop", "web", "10.0.0.2");
    private final NodePods pods = new NodePods(FakeCluster.NODE);

    private List<PodChange> put(Manifest manifest) {
        return pods.apply(List.of(new ManifestChange.Put(manifest)));
    }

    private static NamespaceManifest namespace(String name, Map<String, String> labels) {
        return new NamespaceManifest(new Metadata(
                new ObjectKey("c", "", name), "", labels, Map.of(), Instant.EPOCH, Metadata.Lifecycle.ACTIVE));
    }

    @Test
    void whenPodsComeChangeAndGo_thenThatIsTold() {
        assertThat(put(WEB)).containsExactly(new PodChange.Came(WEB));
        var changed = annotated(WEB, Map.of("a", "b"));
        assertThat(put(changed)).containsExactly(new PodChange.Changed(changed));
        assertThat(pods.pod("shop", "web")).contains(changed);
        assertThat(pods.apply(List.of(new ManifestChange.Remove(PodManifest.class, WEB.key()))))
                .containsExactly(new PodChange.Gone(changed));
        assertThat(pods.all()).isEmpty();
    }

    @Test
    void givenAnotherPodOfTheSameName_thenTheOldOneIsGone() {
        put(WEB);
        var old = WEB.metadata();
        var other = new PodManifest(
                new Metadata(old.key(), "other", Map.of(), Map.of(), Instant.EPOCH, Metadata.Lifecycle.ACTIVE),
                WEB.phase(),
                WEB.ready(),
                WEB.ips(),
                WEB.node(),
                WEB.serviceAccount(),
                false,
                List.of(),
                WEB.controller(),
                "");
        assertThat(put(other)).containsExactly(new PodChange.Gone(WEB), new PodChange.Came(other));
    }

    @Test
    void whenANamespaceGetsOtherLabels_thenItsPodsHaveChanged() {
        put(WEB);
        assertThat(put(namespace("shop", AMBIENT))).containsExactly(new PodChange.Changed(WEB));
        assertThat(pods.labels("shop")).isEqualTo(AMBIENT);
        assertThat(put(namespace("shop", AMBIENT))).isEmpty();
        assertThat(put(namespace("other", AMBIENT))).isEmpty();
        assertThat(pods.apply(
                        List.of(new ManifestChange.Remove(NamespaceManifest.class, new ObjectKey("c", "", "shop")))))
                .containsExactly(new PodChange.Changed(WEB));
        assertThat(pods.labels("shop")).isEmpty();
    }

    @Test
    void givenPodsOfOtherNodes_thenTheyAreNotOurs() {
        var other = new NodePods("elsewhere");
        assertThat(other.apply(List.of(new ManifestChange.Put(WEB)))).isEmpty();
        assertThat(other.all()).isEmpty();
    }
}
