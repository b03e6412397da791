// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import static io.fathom.node.identity.Certificates.NOW;
import static io.fathom.node.identity.Certificates.identity;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.wire.pki.SigningMaterial;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Case 72 of the fact sheet, as far as it is a decision.
class RevocationTest {
    private final SigningMaterial root = Certificates.root("mesh", NOW);
    private final SigningMaterial namesake = Certificates.root("mesh", NOW);
    private final X509Certificate leaf =
            Certificates.issue(root, identity("a"), Duration.ofHours(1), NOW).leaf();
    private final X509Certificate other =
            Certificates.issue(root, identity("b"), Duration.ofHours(1), NOW).leaf();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenARevokedLeaf_thenOnlyThatIsRevoked() throws Exception {
        var list = RevocationList.parse("crl", der(root, leaf.getSerialNumber()));
        assertThat(list.revoked(List.of(leaf), root.roots())).contains(leaf);
        assertThat(list.revoked(List.of(other), root.roots())).isEmpty();
        assertThat(list.revoked(List.of(other, leaf), root.roots()))
                .as("the whole chain counts")
                .contains(leaf);
    }

    @Test
    void givenAListOfAnAuthorityWithTheSameName_thenOthersAreUntouched() throws Exception {
        var list = RevocationList.parse("crl", der(namesake, leaf.getSerialNumber()));
        assertThat(list.revoked(List.of(leaf), root.roots())).isEmpty();
        assertThat(list.revoked(List.of(leaf), List.of(root.signer(), namesake.signer())))
                .isEmpty();
    }

    @Test
    void givenSeveralListsInPem_thenAllCount_andUnknownIssuersAreAllowed() throws Exception {
        var pem = pem(der(namesake, BigInteger.ONE)) + pem(der(root, other.getSerialNumber()));
        var list = RevocationList.parse("crl", pem.getBytes(StandardCharsets.US_ASCII));
        assertThat(list.revoked(List.of(other), root.roots())).contains(other);
        assertThat(list.revoked(List.of(leaf), List.of())).isEmpty();
    }

    @Test
    void givenNothing_thenNothingIsRevoked_butGarbageFails() {
        assertThat(RevocationList.parse("crl", new byte[0]).isEmpty()).isTrue();
        for (var garbage : List.of("garbage", "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n", "\n\n")) {
            assertThatThrownBy(() -> RevocationList.parse("crl", garbage.getBytes(StandardCharsets.US_ASCII)))
                    .as(garbage)
                    .isInstanceOf(ProblemException.class);
        }
    }

    @Test
    void givenAFile_whenItChanges_thenReloadedWithinTwoSeconds_andGarbageLeavesTheOldOne() throws Exception {
        var file = folder.resolve("crl");
        var timeline = new ManualTimeline(NOW);
        var heard = new ArrayList<RevocationList>();
        try (var revocations = new RevocationFile(file, timeline)) {
            assertThat(revocations.current().isEmpty()).as("missing is fine").isTrue();
            var _ = revocations.listen(heard::add);
            Files.write(file, der(root, leaf.getSerialNumber()));
            timeline.advance(Duration.ofSeconds(2));
            assertThat(revocations.current().revoked(List.of(leaf), root.roots()))
                    .isPresent();
            assertThat(heard).hasSize(1);

            Files.writeString(file, "garbage");
            timeline.advance(Duration.ofSeconds(4));
            assertThat(revocations.current().revoked(List.of(leaf), root.roots()))
                    .isPresent();
            assertThat(heard).hasSize(1);

            Files.delete(file);
            timeline.advance(Duration.ofSeconds(2));
            assertThat(revocations.current().isEmpty()).isTrue();
        }
        assertThat(timeline.nextAppointment()).isEmpty();
        Files.writeString(file, "garbage");
        assertThatThrownBy(() -> new RevocationFile(file, timeline)).isInstanceOf(ProblemException.class);
    }

    /// Long out of date, which is ignored.
    private static byte[] der(SigningMaterial authority, BigInteger serial) throws Exception {
        var name = X500Name.getInstance(
                authority.signer().getSubjectX500Principal().getEncoded());
        var builder = new X509v2CRLBuilder(name, Date.from(NOW.minus(Duration.ofDays(400))));
        builder.setNextUpdate(Date.from(NOW.minus(Duration.ofDays(399))));
        builder.addCRLEntry(serial, Date.from(NOW), CRLReason.keyCompromise);
        var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(authority.key());
        var out = new ByteArrayOutputStream();
        out.write(builder.build(signer).getEncoded());
        return out.toByteArray();
    }

    private static String pem(byte[] der) {
        return "-----BEGIN X509 CRL-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END X509 CRL-----\n";
    }
}
