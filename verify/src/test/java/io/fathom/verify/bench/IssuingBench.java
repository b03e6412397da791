// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RequestWriter;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SigningRequest;
import java.lang.management.ManagementFactory;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.conscrypt.Conscrypt;

/// Certificates per second of one core, against the bare signature they need. Rates are per second of processor time of
/// the one thread that works, so other programs on the machine do not count; each is the median of nine rounds, the
/// kinds taking turns.
public final class IssuingBench {
    private static final Duration WARM_UP = Duration.ofSeconds(4);
    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final int ROUNDS = 9;
    private static final int BODY_BYTES = 460;

    @FunctionalInterface
    private interface Work {
        Object run() throws GeneralSecurityException;
    }

    private record Kind(String name, Work work, List<Double> rates) {}

    private static Object sink = "";

    private IssuingBench() {}

    public static void main(String[] args) throws GeneralSecurityException {
        var now = Instant.parse("2026-11-15T12:00:00Z");
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, "cluster.local", now, Duration.ofDays(3650));
        var issuer = new Issuer(new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root)));
        var csr = RequestWriter.write(
                KeyAlgorithm.P256.generate(), List.of("spiffe://cluster.local/ns/default/sa/payments"));
        var leaf = leaf(SigningRequest.parse(csr));

        var boring = Conscrypt.newProvider();
        var key = KeyFactory.getInstance("EC", boring)
                .generatePrivate(new PKCS8EncodedKeySpec(keys.getPrivate().getEncoded()));
        var bare = Signature.getInstance("SHA256withECDSA", boring);
        bare.initSign(key);
        var jdk = Signature.getInstance("SHA256withECDSA", "SunEC");
        jdk.initSign(keys.getPrivate());
        var body = new byte[BODY_BYTES];

        var kinds = List.of(
                kind("bare P-256 signature, BoringSSL", () -> {
                    bare.update(body);
                    return bare.sign();
                }),
                kind("certificate signed (Issuer.sign)", () -> issuer.sign(leaf, now)),
                kind("request checked (SigningRequest.parse)", () -> SigningRequest.parse(csr)),
                kind("request checked and certificate signed", () -> issuer.sign(leaf(SigningRequest.parse(csr)), now)),
                kind("bare P-256 signature, JDK", () -> {
                    jdk.update(body);
                    return jdk.sign();
                }));
        for (var kind : kinds) {
            rate(kind.work(), WARM_UP);
        }
        for (var round = 0; round < ROUNDS; round++) {
            for (var kind : kinds) {
                kind.rates().add(rate(kind.work(), ROUND));
            }
        }
        var reference = median(kinds.getFirst());
        for (var kind : kinds) {
            System.out.printf(
                    "%-42s %8.0f /s/core %6.1f %%%n", kind.name(), median(kind), 100 * median(kind) / reference);
        }
        System.out.println(
                sink.hashCode() == 0
                        ? ""
                        : "processor: one thread of " + Runtime.getRuntime().availableProcessors() + " cores, Java "
                                + Runtime.version());
    }

    private static Leaf leaf(SigningRequest request) {
        return new Leaf(request.key(), request.names(), Leaf.Subject.EMPTY, Duration.ofHours(24));
    }

    private static Kind kind(String name, Work work) {
        return new Kind(name, work, new ArrayList<>());
    }

    private static double rate(Work work, Duration length) throws GeneralSecurityException {
        var threads = ManagementFactory.getThreadMXBean();
        var begun = threads.getCurrentThreadCpuTime();
        var end = begun + length.toNanos();
        var done = 0L;
        long now;
        do {
            for (var i = 0; i < 50; i++) {
                sink = work.run();
            }
            done += 50;
            now = threads.getCurrentThreadCpuTime();
        } while (now < end);
        return done * 1e9 / (now - begun);
    }

    private static double median(Kind kind) {
        return kind.rates().stream().sorted().skip(ROUNDS / 2).findFirst().orElseThrow();
    }
}
