package io.fathom.verify.lab;

import io.fathom.verify.client.RunningFathomd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;

/// Ours, in this process, on a folder of manifests.
final class OurControlPlane implements ControlPlane {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path manifests;
    private final Path tokens;
    private final RunningFathomd fathomd;

    /// @param folder for manifests and tokens
    OurControlPlane(Path folder) {
        try {
            manifests = Files.createDirectories(folder.resolve("manifests"));
            tokens = Files.createDirectories(folder.resolve("tokens"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        fathomd = RunningFathomd.on(
                manifests,
                Map.of("FATHOM_TOKENS_DIR", tokens.toString(), "CA_TRUSTED_NODE_ACCOUNTS", "istio-system/ztunnel"));
    }

    @Override
    public void write(String name, String manifest) {
        try {
            Files.writeString(manifests.resolve(name + ".yaml"), manifest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void remove(String name) {
        try {
            Files.delete(manifests.resolve(name + ".yaml"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int tlsPort() {
        return fathomd.tlsPort();
    }

    @Override
    public String rootCertificate() {
        return fathomd.text("/debug/root-cert");
    }

    @Override
    public Path token(String pod) {
        var token = tokens.resolve("istio-system").resolve(pod).resolve("istio-token");
        Awaitility.await("token").atMost(PATIENCE).until(() -> Files.exists(token));
        return token;
    }

    @Override
    public void close() {
        fathomd.close();
    }
}
