// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.trust.PeerTrust;
import io.fathom.model.trust.PeerTrust.TrustConsent;
import io.fathom.model.trust.TrustBundle;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.Reads;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TrustRoots;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class TrustBundleReaderTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final X509Certificate ONE = root("one");
    private static final X509Certificate OTHER = root("other");

    private static X509Certificate root(String name) {
        return RootCertificate.create(KeyAlgorithm.P256.generate(), name, START, Duration.ofDays(3650));
    }

    private static X509Certificate leaf() {
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, "signer", START, Duration.ofDays(3650));
        var issuer = new Issuer(new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root)));
        var subject = SubjectKey.of(KeyAlgorithm.P256.generate().getPublic());
        return issuer.sign(
                        new Leaf(subject, List.of("spiffe://b/ns/a/sa/b"), Leaf.Subject.EMPTY, Duration.ofDays(1)),
                        START)
                .certificate();
    }

    private static PeerTrust trust(TrustConsent consent, X509Certificate... roots) {
        return new PeerTrust("B_1", TrustBundle.of("b.example", TrustRoots.of(Arrays.asList(roots))), consent);
    }

    private static String written(X509Certificate... roots) {
        return Json.compact(TrustBundleObject.tree("istio-system", trust(TrustConsent.OWN_DOMAIN, roots), "fathomctl"));
    }

    @ParameterizedTest
    @EnumSource(TrustConsent.class)
    void givenWhatWeWrite_whenItIsRead_thenItSaysTheSame(TrustConsent consent) {
        var trust = trust(consent, ONE, OTHER);
        var tree = TrustBundleObject.tree("istio-system", trust, "fathomctl");
        var manifest = Reads.one(TrustBundleManifest.class, Json.compact(tree));
        assertThat(manifest.trust()).isEqualTo(trust);
        assertThat(manifest.metadata().key().name()).isEqualTo("istio-trust-peer-b-1");
        assertThat(TrustBundleObject.read(tree)).isEqualTo(trust);
        assertThat(TrustBundleObject.owner(tree)).isEqualTo("fathomctl");
    }

    @Test
    void givenAnotherNamespace_thenItIsNoBundle() {
        var readings = Reads.all(Reads.CONFIG, written(ONE).replace("istio-system", "team-a"));
        assertThat(readings).hasSize(1).first().isInstanceOf(Reading.Skipped.class);
    }

    static Stream<Arguments> spellings() {
        return Stream.of(
                argumentSet("as openssl prints it", (UnaryOperator<String>) pin -> "sha256 Fingerprint="
                        + String.join(
                                ":", pin.toUpperCase(java.util.Locale.ROOT).split("(?<=\\G..)", -1))),
                argumentSet("with the name of the digest", (UnaryOperator<String>) pin -> "sha256:" + pin),
                argumentSet("among remarks", (UnaryOperator<String>) pin -> "# of b\\n\\n " + pin + " "));
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void givenAFingerprint_thenItCountsHoweverItIsSpelt(UnaryOperator<String> spelling) {
        var pin = TrustRoots.of(ONE).fingerprint();
        var read = Reads.one(TrustBundleManifest.class, written(ONE).replace(pin, spelling.apply(pin)));
        assertThat(read.trust().bundle().roots()).containsExactly(TrustRoots.of(ONE));
    }

    static Stream<Arguments> mistakes() {
        var pin = TrustRoots.of(ONE).fingerprint();
        return Stream.of(
                argumentSet(
                        "given a root that is not pinned",
                        written(ONE).replace(pin, TrustRoots.of(OTHER).fingerprint()),
                        "trust-root-not-pinned",
                        pin),
                argumentSet(
                        "given a pin without its root",
                        written(ONE)
                                .replace(pin, pin + "\\n" + TrustRoots.of(OTHER).fingerprint()),
                        "trust-root-missing",
                        TrustRoots.of(OTHER).fingerprint()),
                argumentSet(
                        "given half a pin",
                        written(ONE).replace(pin, pin.substring(32)),
                        "trust-fingerprint-malformed",
                        ""),
                argumentSet(
                        "given no pin",
                        written(ONE).replace("fingerprints", "fingers"),
                        "manifest-missing-field",
                        "fingerprints"),
                argumentSet("given a leaf", written(leaf()), "trust-root-no-authority", "may not sign"),
                argumentSet(
                        "given no certificate",
                        written(ONE).replace("BEGIN", "BEGUN"),
                        "bad-certificate-pem",
                        "roots.pem"),
                argumentSet(
                        "given a URI",
                        written(ONE).replace("b.example", "spiffe://b"),
                        "manifest-bad-value",
                        "trust-domain"),
                argumentSet(
                        "given no cluster",
                        written(ONE).replace("topology.istio.io", "x.io"),
                        "manifest-missing-field",
                        "cluster"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void whenItIsNotSound_thenItDoesNotCount(String yaml, String code, String text) {
        var problem = Reads.problem(yaml);
        assertThat(problem.problem().code()).isEqualTo(code);
        assertThat(problem.toString()).contains(text);
    }

    @Test
    void givenRoots_whenTheyBecomeBytesAndBack_thenTheyAreTheSame() {
        List<TrustRoot> roots = TrustRoots.of(List.of(ONE, OTHER, ONE));
        assertThat(TrustRoots.certificates(roots)).containsExactly(ONE, OTHER);
    }
}
