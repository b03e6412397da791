// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.enrol.EnrolEngine;
import io.fathom.node.cni.enrol.Proxies;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.Enablement;
import io.fathom.node.cni.pods.NodePods;
import io.fathom.node.cni.rules.CaptureSettings;
import io.fathom.node.cni.rules.Difference;
import io.fathom.node.cni.rules.PodRules;
import io.fathom.node.cni.rules.ProbeSet;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.zds.PodInfo;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginDoorTest {
    private static final String BODY = """
            {"Netns":"/proc/self/ns/net","PodName":"web","PodNamespace":"shop","IPs":[{"Interface":0,"Address":\
            {"IP":"10.0.0.2","Mask":"////AA=="},"Gateway":"10.0.0.1"}]}""";

    private static final String CALL =
            "CNI_COMMAND=ADD\0CNI_CONTAINERID=a\0CNI_NETNS=/proc/self/ns/net\0CNI_IFNAME=eth0\0"
                    + "CNI_PATH=/x\0CNI_ARGS=K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web;K8S_POD_UID=uid-web\0\0"
                    + "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"ambient_enabled\":true,\"exclude_namespaces\":[\"kube-system\"],"
                    + "\"prevResult\":{\"ips\":[{\"address\":\"10.0.0.2/24\"}]}}";

    private final NodePods pods = new NodePods("n1");
    private final SystemTimeline timeline = new SystemTimeline();
    private final List<Ip> probed = new CopyOnWriteArrayList<>();
    private final List<Integer> answered = new CopyOnWriteArrayList<>();
    private final CountDownLatch asked = new CountDownLatch(1);
    private volatile Optional<Problem> refusal = Optional.empty();
    private CountDownLatch answer = new CountDownLatch(0);
    private EnrolEngine engine;
    private UnixHttpServer server;
    private Path socket;

    @TempDir
    Path folder;

    @BeforeEach
    void start() {
        engine = new EnrolEngine(
                pods,
                new Eligibility(Enablement.DEFAULT, Set.of(), "istio-system"),
                CaptureSettings.DnsCapture.CAPTURED,
                new EnrolEngine.Tools(new NoRules(), new Probes(), new OneProxy(), _ -> Map.of(), (_, _) -> {}),
                timeline,
                _ -> {});
        engine.start();
        var shop = new NamespaceManifest(metadata("", "shop", Map.of("istio.io/dataplane-mode", "ambient")));
        var _ = pods.apply(List.of(new ManifestChange.Put(shop)));
        socket = folder.resolve("pluginevent.sock");
        server = UnixHttpServer.start(socket, new PluginDoor(pods, engine, "", answered::add));
    }

    @AfterEach
    void stop() {
        answer.countDown();
        server.close();
        engine.close();
        timeline.close();
    }

    private static Metadata metadata(String namespace, String name, Map<String, String> labels) {
        return new Metadata(
                new ObjectKey("c", namespace, name),
                "uid-" + name,
                labels,
                Map.of(),
                Instant.EPOCH,
                Metadata.Lifecycle.ACTIVE);
    }

    private void putPod(Map<String, String> labels) {
        var _ = pods.apply(List.of(new ManifestChange.Put(pod("shop", labels))));
    }

    private static PodManifest pod(String namespace, Map<String, String> labels) {
        return new PodManifest(
                metadata(namespace, "web", labels),
                PodManifest.Phase.PENDING,
                false,
                List.of(),
                "n1",
                "account",
                false,
                List.of(),
                Optional.empty(),
                "");
    }

    private String post(String path, String body) throws IOException {
        try (var channel = send(path, body)) {
            return text(channel);
        }
    }

    private static String text(SocketChannel channel) throws IOException {
        return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    }

    private SocketChannel send(String path, String body) throws IOException {
        var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        var request = "POST http://unix" + path + " HTTP/1.1\r\nHost: unix\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body;
        channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
        return channel;
    }

    @Test
    void whenThePluginAsks_thenItGets200AndTheAddressOfTheNetworkCounts() throws IOException {
        putPod(Map.of());
        assertThat(post("/cmdadd", BODY)).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\n");
        assertThat(probed).containsExactly(Ip.parse("10.0.0.2").orElseThrow());
        assertThat(answered).containsExactly(200);
    }

    @Test
    void whenThePodIsHeardOfALittleLater_thenItIsStillCaptured() throws IOException {
        try (var channel = send("/cmdadd", BODY)) {
            putPod(Map.of());
            assertThat(text(channel)).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void givenAnUnknownOrUnwantedPodOrNoProxy_then500SaysWhy() throws IOException {
        assertThat(post("/cmdadd", BODY)).startsWith("HTTP/1.1 500").contains("shop/web is not known");
        putPod(Map.of("istio.io/dataplane-mode", "none"));
        assertThat(post("/cmdadd", BODY)).startsWith("HTTP/1.1 500").contains("unexpectedly not eligible");
        putPod(Map.of());
        refusal = Optional.of(
                new Problem("zds-refused", "port is taken", "", Problem.Origin.SERVER, Problem.Retry.SENSIBLE));
        assertThat(post("/cmdadd", BODY)).startsWith("HTTP/1.1 500").contains("port is taken");
        assertThat(post("/cmdadd", BODY.replace("/proc/self/ns/net", "/nowhere")))
                .startsWith("HTTP/1.1 500");
    }

    @Test
    void whenACallIsHandedOver_thenWhatIsWantedIsCapturedAndTheRestLeftAlone() throws IOException {
        putPod(Map.of("istio.io/dataplane-mode", "none"));
        assertThat(post("/add", CALL)).startsWith("HTTP/1.1 200").contains("\r\n\r\n{", "10.0.0.2/24");
        assertThat(probed).isEmpty();
        putPod(Map.of());
        assertThat(post("/add", CALL)).startsWith("HTTP/1.1 200").contains("\r\n\r\n{", "10.0.0.2/24");
        assertThat(probed).containsExactly(Ip.parse("10.0.0.2").orElseThrow());
        refusal = Optional.of(
                new Problem("zds-refused", "port is taken", "", Problem.Origin.SERVER, Problem.Retry.SENSIBLE));
        assertThat(post("/add", CALL)).startsWith("HTTP/1.1 500").contains("\"code\": 999", "port is taken");
        assertThat(post("/add", CALL.replace("1.0.0", "9.9.9")))
                .startsWith("HTTP/1.1 400")
                .contains("\"code\": 1");
        assertThat(post("/add", CALL.replace("=shop", "=kube-system"))).startsWith("HTTP/1.1 200");
    }

    @Test
    void givenAPodOrItsNamespaceThatIsNotKnownYet_whenItsCallIsHandedOver_thenWeWaitForIt() throws IOException {
        try (var channel = send("/add", CALL)) {
            putPod(Map.of());
            assertThat(text(channel)).startsWith("HTTP/1.1 200");
        }
        assertThat(probed).hasSize(1);
        var _ = pods.apply(List.of(new ManifestChange.Put(pod("left", Map.of()))));
        try (var channel = send("/add", CALL.replace("=shop", "=left"))) {
            var left = new NamespaceManifest(metadata("", "left", Map.of()));
            var _ = pods.apply(List.of(new ManifestChange.Put(left)));
            assertThat(text(channel)).startsWith("HTTP/1.1 200");
        }
        assertThat(probed).hasSize(1);
    }

    @Test
    void givenAnEarlierPodOfTheSameName_whenACallIsHandedOver_then503LeavesItToThePlugin() throws IOException {
        putPod(Map.of("istio.io/dataplane-mode", "none"));
        assertThat(post("/add", CALL.replace("uid-web", "another")))
                .startsWith("HTTP/1.1 503")
                .contains("\r\n\r\npod shop/web is not known");
        assertThat(answered).containsExactly(503);
    }

    @Test
    void givenNoRequest_then400() throws IOException {
        for (var body : List.of("", "{", "[]", "{}", "null", BODY + BODY, BODY.replace("10.0.0.2", "10.0.0"))) {
            assertThat(post("/cmdadd", body)).as(body).startsWith("HTTP/1.1 400");
        }
        assertThat(post("/other", BODY)).startsWith("HTTP/1.1 404");
    }

    @Test
    void givenFieldsThatAreNull_thenTheyCountAsAbsent() {
        var request = PluginRequest.parse(
                "{\"Netns\":\"/var/run/netns/x\",\"PodName\":\"p\",\"PodNamespace\":\"n\",\"IPs\":null}");
        assertThat(request.addresses()).isEmpty();
        var mapped = PluginRequest.parse(BODY.replace("\"Interface\":0", "\"Interface\":null")
                .replace("\"IP\":\"10.0.0.2\"", "\"IP\":\"::ffff:10.0.0.2\"")
                .replace("\"Gateway\":\"10.0.0.1\"", "\"Gateway\":\"\""));
        assertThat(mapped.addresses()).containsExactly(Ip.parse("10.0.0.2").orElseThrow());
        assertThatThrownBy(() -> PluginRequest.parse("{\"Netns\":1}")).isInstanceOf(ProblemException.class);
    }

    @Test
    void whenThePluginHangsUp_thenNobodyWaitsForIt() throws Exception {
        putPod(Map.of());
        answer = new CountDownLatch(1);
        try (var _ = send("/cmdadd", BODY)) {
            asked.await();
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> answered.equals(List.of(500)));
    }

    @Test
    void whenThePluginLogs_thenItsLinesAreTaken() throws IOException {
        var log = folder.resolve("log.sock");
        try (var _ = UnixHttpServer.start(log, new PluginLog())) {
            socket = log;
            assertThat(post("/log", "[\"{\\\"level\\\":\\\"info\\\",\\\"time\\\":\\\"t\\\",\\\"msg\\\":\\\"hi\\\"}\"]"))
                    .startsWith("HTTP/1.1 200");
            assertThat(post("/log", "{}")).startsWith("HTTP/1.1 400");
        }
    }

    private static final class NoRules implements PodRules {
        @Override
        public Applied apply(Path namespace, CaptureSettings settings) {
            return Applied.WRITTEN;
        }

        @Override
        public void remove(Path namespace) {}

        @Override
        public List<Difference> inspect(Path namespace, CaptureSettings settings) {
            return new ArrayList<>();
        }
    }

    private final class Probes implements ProbeSet {
        @Override
        public void prepare() {}

        @Override
        public void put(Ip address, String uid) {
            probed.add(address);
        }

        @Override
        public void remove(Ip address, String uid) {}

        @Override
        public Map<Ip, String> entries() {
            return Map.of();
        }

        @Override
        public void flush() {}

        @Override
        public void discard() {}
    }

    private final class OneProxy implements Proxies {
        @Override
        public Optional<Problem> add(PodInfo pod, NetworkNamespace namespace) {
            asked.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return refusal;
        }

        @Override
        public void delete(String uid) {}
    }
}
