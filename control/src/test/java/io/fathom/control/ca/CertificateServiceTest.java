// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.ca.CertificateOrder;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RequestWriter;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TestPki;
import io.fathom.wire.pki.TlsIdentity;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The certificate service as its clients see it: gRPC over TLS.
class CertificateServiceTest {
    private static final String PAYMENTS = "spiffe://cluster.local/ns/default/sa/payments";
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final InstantSource clock = InstantSource.system();
    private SelfSignedAuthority authority;
    private RunningCa ca;
    private String ztunnel;

    @TempDir
    Path folder;

    @BeforeEach
    void start() throws Exception {
        authority = SelfSignedAuthority.open(
                new FileRootStore(folder.resolve("ca.yaml")), RootPolicy.DEFAULT, "cluster.local", clock);
        ca = new RunningCa(authority, Duration.ofHours(1), counting(), clock);
        ca.pods
                .add("istio-system", "ztunnel-a", "uid-a", "ztunnel", "node-a")
                .add("default", "payments-1", "uid-1", "payments", "node-a");
        ztunnel = ca.token("istio-system", "ztunnel", "ztunnel-a", "uid-a", "node-a");
    }

    @AfterEach
    void stop() throws Exception {
        ca.close();
        authority.close();
    }

    private CaObserver counting() {
        return new CaObserver() {
            @Override
            public void refused(String code) {
                counts.computeIfAbsent(code, _ -> new LongAdder()).increment();
            }

            @Override
            public void invalid(String code) {
                refused(code);
            }

            @Override
            public void issued() {
                refused("issued");
            }
        };
    }

    @Test
    void givenANodeProxy_thenOpensslAcceptsWhatItGets() throws Exception {
        var keys = KeyAlgorithm.P256.generate();
        var channel = ca.channel(authority.roots(), Optional.empty());
        var chain = RunningCa.client(channel, ztunnel)
                .create(new CertificateOrder(
                        RequestWriter.write(keys, List.of(PAYMENTS)), Duration.ZERO, Optional.of(PAYMENTS)));
        channel.shutdownNow();

        Files.writeString(folder.resolve("leaf.pem"), chain.getFirst());
        Files.writeString(folder.resolve("roots.pem"), chain.getLast());
        assertThat(openssl("verify", "-x509_strict", "-CAfile", "roots.pem", "leaf.pem"))
                .contains("leaf.pem: OK");
        assertThat(openssl("x509", "-in", "leaf.pem", "-noout", "-ext", "subjectAltName,keyUsage,extendedKeyUsage"))
                .contains("URI:" + PAYMENTS)
                .contains("Digital Signature, Key Encipherment")
                .contains("TLS Web Server Authentication, TLS Web Client Authentication");
        assertThat(openssl("x509", "-in", "leaf.pem", "-noout", "-checkend", "86000"))
                .contains("will not expire");
        assertThat(openssl("x509", "-in", "leaf.pem", "-noout", "-checkend", "86500"))
                .contains("will expire");
    }

    @Test
    void givenAClientCertificate_thenItIsRenewedWithoutAToken() {
        var identity = identity(PAYMENTS);
        var channel = ca.channel(authority.roots(), Optional.of(identity));
        var chain = RunningCa.client(channel, "")
                .create(new CertificateOrder(
                        RequestWriter.write(KeyAlgorithm.P256.generate(), List.of()), Duration.ZERO, Optional.empty()));
        channel.shutdownNow();
        assertThat(AlternativeNames.of(Pem.certificates(chain.getFirst()).getFirst()))
                .containsExactly(PAYMENTS);
    }

    @Test
    void givenACertificateOfAnotherRoot_thenTheHandshakeFails() {
        var stranger = TestPki.root(clock.instant());
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Issuer(stranger)
                .sign(
                        new Leaf(
                                SubjectKey.of(keys.getPublic()),
                                List.of(PAYMENTS),
                                Leaf.Subject.EMPTY,
                                Duration.ofHours(1)),
                        clock.instant());
        var own = new TlsIdentity(keys.getPrivate(), List.of(leaf.certificate()), stranger.roots());
        var channel = ca.channel(authority.roots(), Optional.of(own));
        assertThatThrownBy(() ->
                        RunningCa.client(channel, "").create(new CertificateOrder("", Duration.ZERO, Optional.empty())))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(RunningCa.code(e)).isEqualTo("ca-unavailable"));
        channel.shutdownNow();
    }

    @Test
    void givenRefusals_thenTheStatusTellsNoMoreThanItMust() {
        var channel = ca.channel(authority.roots(), Optional.empty());
        var csr = RequestWriter.write(KeyAlgorithm.P256.generate(), List.of());
        var cases = new HashMap<CertificateOrder, String>();
        cases.put(new CertificateOrder(csr, Duration.ZERO, Optional.of(PAYMENTS + "-x")), "ca-unauthenticated");
        cases.put(new CertificateOrder("", Duration.ZERO, Optional.of(PAYMENTS)), "ca-invalid-argument");
        cases.put(new CertificateOrder(csr, Duration.ofDays(1000), Optional.of(PAYMENTS)), "ca-invalid-argument");
        cases.forEach((order, want) -> assertThatThrownBy(
                        () -> RunningCa.client(channel, ztunnel).create(order))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(RunningCa.code(e)).isEqualTo(want)));
        assertThatThrownBy(() -> RunningCa.client(channel, "")
                        .create(new CertificateOrder(csr, Duration.ZERO, Optional.empty())))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("UNAUTHENTICATED: the request was not authenticated");
        channel.shutdownNow();
    }

    @Test
    @Tag("slow")
    void givenTenThousandGarbageRequests_thenAllAreRefusedAndMemoryStaysBounded() throws Exception {
        var random = new Random(11);
        var channel = ca.channel(authority.roots(), Optional.empty());
        var client = RunningCa.client(channel, ztunnel);
        var before = usedMemory();
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (var i = 0; i < 10_000; i++) {
                var garbage = garbage(random, i);
                threads.execute(() -> {
                    try {
                        client.create(new CertificateOrder(garbage, Duration.ZERO, Optional.of(PAYMENTS)));
                    } catch (ProblemException e) {
                        counts.computeIfAbsent(RunningCa.code(e), _ -> new LongAdder())
                                .increment();
                    }
                });
            }
        }
        assertThat(counts.getOrDefault("ca-invalid-argument", new LongAdder()).sum())
                .as("answers: %s", counts)
                .isEqualTo(10_000);
        assertThat(counts).doesNotContainKey("issued");
        assertThat(usedMemory() - before).isLessThan(64L << 20);

        var chain = client.create(new CertificateOrder(
                RequestWriter.write(KeyAlgorithm.P256.generate(), List.of()), Duration.ZERO, Optional.of(PAYMENTS)));
        assertThat(chain).hasSize(2);
        channel.shutdownNow();
    }

    @Test
    void whenTheRootRotates_thenTheServerShowsACertificateOfItWithoutARestart() throws Exception {
        var before = ca.serving.current().leaf();
        authority.rotate();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> !ca.serving.current().leaf().equals(before));
        assertThat(ca.serving.current().roots()).hasSize(2);
        var process = new ProcessBuilder("openssl", "s_client", "-connect", "127.0.0.1:" + ca.port(), "-alpn", "h2")
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        var shown = Pem.certificates(output.substring(output.indexOf("-----BEGIN"), output.indexOf("-----END") + 26));
        assertThat(shown.getFirst()).isEqualTo(ca.serving.current().leaf());
        assertThat(output).contains("ALPN protocol: h2").contains("TLSv1.3");
    }

    private TlsIdentity identity(String name) {
        var keys = KeyAlgorithm.P256.generate();
        var channel = ca.channel(authority.roots(), Optional.empty());
        var chain = RunningCa.client(channel, ztunnel)
                .create(new CertificateOrder(
                        RequestWriter.write(keys, List.of(name)), Duration.ZERO, Optional.of(name)));
        channel.shutdownNow();
        var path = new ArrayList<X509Certificate>();
        chain.subList(0, chain.size() - 1).forEach(element -> path.addAll(Pem.certificates(element)));
        return new TlsIdentity(keys.getPrivate(), path, Pem.certificates(chain.getLast()));
    }

    private static String garbage(Random random, int index) {
        var bytes = new byte[random.nextInt(3000)];
        random.nextBytes(bytes);
        return switch (index % 4) {
            case 0 -> new String(bytes, StandardCharsets.ISO_8859_1);
            case 1 -> "-----BEGIN CERTIFICATE REQUEST-----\n" + index + "\n-----END CERTIFICATE REQUEST-----\n";
            case 2 ->
                "-----BEGIN CERTIFICATE REQUEST-----\n"
                        + Base64.getMimeEncoder().encodeToString(bytes)
                        + "\n-----END CERTIFICATE REQUEST-----\n";
            default -> "x".repeat(20_000);
        };
    }

    private static long usedMemory() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private String openssl(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
