// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.RootPolicy;
import io.fathom.control.ca.RootStore;
import io.fathom.control.ca.SelfSignedAuthority;
import io.fathom.control.ca.kube.NamespaceConfigMap.File;
import io.fathom.control.ca.vault.LocalKube;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the authority keeps in a cluster, with a real API server.
@Tag("slow")
class ClusterAuthorityIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final InstantSource CLOCK = InstantSource.system();

    @TempDir
    private static Path folder;

    @AutoClose
    private static LocalKube kube;

    @AutoClose
    private static KubeClient client;

    @BeforeAll
    static void start() {
        kube = LocalKube.start(folder.resolve("kube"));
        client = new KubeClient(kube.config(), KubeSettings.DEFAULT);
    }

    @Test
    void whenManyReplicasStartAtOnce_thenThereIsOneSecretAndAllHaveItsRoot() throws Exception {
        namespace("many");
        var together = new CountDownLatch(1);
        var roots = new HashSet<X509Certificate>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<X509Certificate>> starts = Stream.generate(() -> threads.submit(() -> {
                        try (var own = new KubeClient(kube.config(), KubeSettings.DEFAULT)) {
                            together.await();
                            return open(store(own, "many")).material().signer();
                        }
                    }))
                    .limit(8)
                    .toList();
            together.countDown();
            for (var start : starts) {
                roots.add(start.get());
            }
        }
        assertThat(roots).hasSize(1);
        var secret = secret("many", "istio-ca-secret").orElseThrow();
        assertThat(secret.root().at("type").text()).isEqualTo("istio.io/ca-root");
        assertThat(secret.root().at("data").entries())
                .containsOnlyKeys("ca-cert.pem", "ca-key.pem", "cert-chain.pem", "key.pem", "root-cert.pem");
        assertThat(open(store(client, "many")).material().signer())
                .isEqualTo(roots.iterator().next());
    }

    @Test
    void whenOneReplicaRotates_thenTheOthersFollowAtOnceAndAStaleOneCannotOverwrite() throws Exception {
        namespace("rotating");
        var first = open(store(client, "rotating"));
        var second = open(store(client, "rotating")).start();
        var third = open(store(client, "rotating")); // does not look
        try (var _ = store(client, "rotating").watch(second::checkSoon)) {
            first.rotate();
            assertThat(first.roots()).hasSize(2);
            await().atMost(PATIENCE).until(() -> second.roots().equals(first.roots()));
            third.rotate();
            assertThat(third.roots()).as("another was faster").hasSize(1);
            assertThat(open(store(client, "rotating")).roots()).isEqualTo(first.roots());
        } finally {
            second.close();
        }
    }

    @Test
    void givenWhatWasReadIsOld_thenNothingIsStored() {
        namespace("guarded");
        var store = store(client, "guarded");
        open(store);
        var read = store.read();
        var one = with(read.orElseThrow(), "one");
        assertThat(store.replace(Optional.empty(), one)).isFalse();
        assertThat(store.replace(read, one)).isTrue();
        assertThat(store.replace(read, with(read.orElseThrow(), "two"))).isFalse();
        assertThat(store.read()).contains(one);
        assertThat(store.replace(Optional.of(one), read.orElseThrow())).isTrue();
        assertThat(store.read()).as("entries that are no longer there are gone").isEqualTo(read);
        client.delete(KubeResource.SECRETS, "guarded", "istio-ca-secret");
        assertThat(store.replace(read, one))
                .as("not brought back by a rotation")
                .isFalse();
    }

    /// As stock istiod makes it.
    @Test
    void givenASecretOfUpstream_thenItsRootGoesOn() {
        namespace("upstream");
        var keys = KeyAlgorithm.RSA2048.generate();
        var root = RootCertificate.create(keys, "cluster.local", CLOCK.instant(), Duration.ofDays(3650));
        var content = new RootStore.Content(Map.of(
                "ca-cert.pem", Pem.encode(root), "ca-key.pem", Pem.encode(keys.getPrivate()), "root-cert.pem", ""));
        assertThat(store(client, "upstream").replace(Optional.empty(), content)).isTrue();
        assertThat(open(store(client, "upstream")).material().signer()).isEqualTo(root);
    }

    @Test
    void givenTheOtherPlace_thenTheSecretIsMarkedAndPluggedCertificatesAreLeftAlone() {
        namespace("other");
        var store = new SecretRootStore(client, "other", SecretRootStore.RootSecret.CACERTS);
        open(store);
        var secret = secret("other", "cacerts").orElseThrow();
        assertThat(secret.root().at("data").entries()).containsKey("istio-generated");
        assertThat(store.read().orElseThrow().entries()).doesNotContainKey("istio-generated");

        client.patch(
                KubeResource.SECRETS,
                "other",
                "cacerts",
                Json.of(Map.of("data", Map.of("istio-generated", Json.NOTHING))));
        assertThatThrownBy(store::read).isInstanceOf(ProblemException.class).hasMessageContaining("plugged");
    }

    @Test
    void givenADamagedSecret_thenTheStartFailsWithoutQuotingIt() {
        namespace("damaged");
        client.create(
                KubeResource.SECRETS,
                "damaged",
                Json.of(Map.of(
                        "metadata", Map.of("name", "istio-ca-secret"), "stringData", Map.of("ca-key.pem", "SAFE"))));
        assertThatThrownBy(() -> open(store(client, "damaged")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("damaged/istio-ca-secret")
                .hasMessageNotContaining("SAFE");
    }

    @Test
    void givenNamespaces_thenEachGetsTheRootsAndKeepsThem() {
        var content = new AtomicReference<>("ROOT-1");
        Set<String> selected = ConcurrentHashMap.newKeySet();
        List.of("files-a", "files-b", "files-c").forEach(ClusterAuthorityIT::namespace);
        selected.addAll(List.of("files-a", "files-b", "kube-public"));
        client.create(
                KubeResource.CONFIG_MAPS,
                "files-b",
                Json.of(Map.of("metadata", Map.of("name", "istio-ca-root-cert"), "data", Map.of("mine", "1"))));
        try (var configMap = NamespaceConfigMap.start(client, File.ofRoots(content::get), () -> Set.copyOf(selected))) {
            awaitRoots("files-a", "ROOT-1");
            awaitRoots("files-b", "ROOT-1");
            assertThat(configMap("files-b").orElseThrow().root().at("data").textMap())
                    .as("what others put there stays")
                    .containsEntry("mine", "1");

            selected.add("files-c");
            configMap.lookAgain();
            awaitRoots("files-c", "ROOT-1");

            client.delete(KubeResource.CONFIG_MAPS, "files-a", "istio-ca-root-cert");
            awaitRoots("files-a", "ROOT-1");
            client.patch(
                    KubeResource.CONFIG_MAPS,
                    "files-a",
                    "istio-ca-root-cert",
                    Json.of(Map.of(
                            "metadata",
                            Map.of("labels", Map.of("istio.io/config", Json.NOTHING)),
                            "data",
                            Map.of("root-cert.pem", "FORGED"))));
            awaitRoots("files-a", "ROOT-1");

            content.set("ROOT-2");
            configMap.lookAgain();
            List.of("files-a", "files-b", "files-c").forEach(namespace -> awaitRoots(namespace, "ROOT-2"));
            client.delete(KubeResource.NAMESPACES, "", "files-c"); // nobody ends it, so it stays as it is
            client.delete(KubeResource.CONFIG_MAPS, "files-c", "istio-ca-root-cert");
            content.set("ROOT-3");
            configMap.lookAgain();
            List.of("files-a", "files-b").forEach(namespace -> awaitRoots(namespace, "ROOT-3"));
            assertThat(configMap("kube-public")).isEmpty();
            assertThat(configMap("default")).as("not selected").isEmpty();
        }
    }

    private static void awaitRoots(String namespace, String content) {
        await(namespace).atMost(PATIENCE).untilAsserted(() -> {
            var object = configMap(namespace).orElseThrow();
            assertThat(object.root().at("data").at("root-cert.pem").text()).isEqualTo(content);
            assertThat(object.metadata().at("labels").at("istio.io/config").text())
                    .isEqualTo("true");
        });
    }

    private static Optional<KubeObject> configMap(String namespace) {
        return client.get(KubeResource.CONFIG_MAPS, namespace, "istio-ca-root-cert");
    }

    private static Optional<KubeObject> secret(String namespace, String name) {
        return client.get(KubeResource.SECRETS, namespace, name);
    }

    private static RootStore.Content with(RootStore.Content content, String entry) {
        var entries = new HashMap<>(content.entries());
        entries.put(entry, "1");
        return new RootStore.Content(entries);
    }

    private static SecretRootStore store(KubeClient client, String namespace) {
        return new SecretRootStore(client, namespace, SecretRootStore.RootSecret.ISTIO_CA_SECRET);
    }

    private static SelfSignedAuthority open(RootStore store) {
        return SelfSignedAuthority.open(store, RootPolicy.DEFAULT, "cluster.local", CLOCK);
    }

    private static void namespace(String name) {
        client.create(KubeResource.NAMESPACES, "", Json.of(Map.of("metadata", Map.of("name", name))));
    }
}
