// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Which certificates of a Vault server are believed: those of the Java runtime, or those of a file that may change.
/// Not safe for several threads.
final class TrustedCa {
    private final Optional<Path> file;
    private Optional<String> seen = Optional.empty();

    TrustedCa(Optional<Path> file) {
        this.file = file;
    }

    /// Something new to use from now on: at the first call, and whenever the file has other contents.
    ///
    /// @throws ProblemException if the file cannot be used; it is looked at again the next time
    Optional<SSLContext> changed() {
        var text = file.map(TrustedCa::read).orElse("");
        if (seen.filter(text::equals).isPresent()) {
            return Optional.empty();
        }
        var context = file.isEmpty() ? runtimeDefault() : trusting(text, file.get());
        seen = Optional.of(text);
        return Optional.of(context);
    }

    private static SSLContext runtimeDefault() {
        try {
            return SSLContext.getDefault();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has a TLS context", e);
        }
    }

    private static SSLContext trusting(String pem, Path file) {
        try {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (var certificate : Pem.certificates(pem)) {
                store.setCertificateEntry("ca-" + store.size(), certificate);
            }
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (ProblemException | GeneralSecurityException | IOException e) {
            throw unusable(file, "holds no usable PEM certificates");
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw unusable(file, "cannot be read");
        }
    }

    private static ProblemException unusable(Path file, String why) {
        return new ProblemException(Problem.ofInput(
                "vault-ca-file",
                "the file " + file + " with the CA of Vault's own certificate " + why,
                "write the PEM certificate of the CA that signed Vault's server certificate there"));
    }
}
