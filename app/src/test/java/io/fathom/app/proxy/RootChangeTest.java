// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The mesh gets another root under a running waypoint, as with `fathomctl uninstall --purge` and `install`.
@Tag("slow")
@Timeout(240)
class RootChangeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void whenTheRootIsReplaced_thenEnvoyShowsACertificateOfTheNewOne_andIsServedAgain() throws IOException {
        try (var stage = ProxyStage.start(folder, Duration.ofHours(24))) {
            stage.giveToken();
            awaitServed(stage);
            var old = stage.root();

            stage.replaceControlPlane();

            assertThat(stage.root()).isNotEqualTo(old);
            awaitServed(stage);
            assertThat(stage.agent("/healthz/ready").status()).isEqualTo(200);
        }
    }

    private static void awaitServed(ProxyStage stage) {
        Awaitility.await("a certificate of the root")
                .atMost(PATIENCE)
                .ignoreExceptions() // it is closed at first
                .until(() -> signs(stage.root(), stage.servedCertificate()));
        Awaitility.await("configured by the control plane")
                .atMost(PATIENCE)
                .until(() -> stage.connectedProxies().contains("waypoint-1.shop"));
    }

    private static boolean signs(X509Certificate root, X509Certificate leaf) {
        try {
            leaf.verify(root.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
