package io.fathom.app.fathomd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SelfSignedServingTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    @TempDir
    private Path folder;

    @Test
    void thenTheRootVerifiesTheLeafForUpstreamsNames() throws Exception {
        var serving = SelfSignedServing.create(config(), NOW);
        var leaf = serving.chain().getFirst();

        leaf.verify(serving.root().getPublicKey());
        assertThat(leaf.getSubjectAlternativeNames())
                .extracting(name -> String.valueOf(name.get(1)))
                .contains(
                        "istiod.mesh.svc",
                        "istiod-remote.mesh.svc",
                        "istio-pilot.mesh.svc",
                        "istiod-canary.mesh.svc",
                        "mesh.example.org",
                        "localhost",
                        "127.0.0.1");
        assertThat(leaf.getBasicConstraints()).isEqualTo(-1);
        assertThat(serving.root().getBasicConstraints()).isNotEqualTo(-1);
        assertThat(leaf.getNotBefore()).isBefore(NOW);
    }

    @Test
    void whenPrinted_thenTheKeyIsNotThere() {
        assertThat(SelfSignedServing.create(config(), NOW)).asString().contains("key=***");
    }

    @Test
    void whenTheRootIsWritten_thenItReadsBack() throws Exception {
        var serving = SelfSignedServing.create(config(), NOW);
        var file = folder.resolve("root.pem");

        SelfSignedServing.writeRoot(serving, file);

        var read = CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(file)));
        assertThat(read).isEqualTo(serving.root());
        assertThat(folder).isDirectoryNotContaining("glob:**.new");
    }

    private FathomdConfig config() {
        return FathomdConfig.parse(
                new String[] {"--manifests", folder.toString()},
                Map.of("POD_NAMESPACE", "mesh", "REVISION", "canary", "ISTIOD_CUSTOM_HOST", "mesh.example.org"));
    }
}
