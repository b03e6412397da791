// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import io.fathom.verify.client.RunningFathomd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.awaitility.Awaitility;

/// Ours, in this process, on a folder of manifests.
final class OurControlPlane implements ControlPlane {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path manifests;
    private final Path tokens;
    private final RunningFathomd fathomd;

    /// @param folder for manifests and tokens
    OurControlPlane(Path folder, Map<String, String> settings) {
        try {
            manifests = Files.createDirectories(folder.resolve("manifests"));
            tokens = Files.createDirectories(folder.resolve("tokens"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var all = new HashMap<>(settings);
        all.put("FATHOM_TOKENS_DIR", tokens.toString());
        all.put("CA_TRUSTED_NODE_ACCOUNTS", "istio-system/ztunnel");
        fathomd = RunningFathomd.on(manifests, all);
    }

    @Override
    public void write(String name, String manifest) {
        try {
            // As an editor does: nobody reads half of it.
            var draft = Files.writeString(manifests.resolve("." + name + ".new"), manifest);
            Files.move(draft, manifests.resolve(name + ".yaml"), StandardCopyOption.ATOMIC_MOVE);
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
        return token("istio-system", pod);
    }

    @Override
    public Path token(String namespace, String pod) {
        var token = tokens.resolve(namespace).resolve(pod).resolve("istio-token");
        Awaitility.await("token").atMost(PATIENCE).until(() -> Files.exists(token));
        return token;
    }

    @Override
    public void close() {
        fathomd.close();
    }
}
