package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.PemKeys;
import io.fathom.wire.pki.SigningMaterial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/// The content of a folder with plugged certificates, as it was read. Holds a key, so it is never printed.
record CaFiles(String signer, String key, String chain, String roots, String revocations) {
    private static final List<String> OWN_NAMES =
            List.of("ca-cert.pem", "ca-key.pem", "cert-chain.pem", "root-cert.pem");
    private static final List<String> TLS_NAMES = List.of("tls.crt", "tls.key", "ca.crt");

    private static final String REVOCATIONS = "ca-crl.pem";
    private static final String GENERATED = "istio-generated"; // a self-signed root, in the place of plugged ones

    /// Empty if the folder has none of the files.
    ///
    /// @throws ProblemException if it has some of them but not all
    static Optional<CaFiles> read(Path folder) {
        if (Files.exists(folder.resolve(GENERATED))) {
            return Optional.empty();
        }
        var own = contents(folder, OWN_NAMES);
        if (own.isPresent()) {
            var files = own.get();
            return Optional.of(
                    new CaFiles(files.get(0), files.get(1), files.get(2), files.get(3), revocations(folder)));
        }
        // tls.crt holds the signer and its chain
        return contents(folder, TLS_NAMES)
                .map(files -> new CaFiles(files.get(0), files.get(1), "", files.get(2), revocations(folder)));
    }

    private static String revocations(Path folder) {
        return contents(folder, List.of(REVOCATIONS)).map(List::getFirst).orElse("");
    }

    private static Optional<List<String>> contents(Path folder, List<String> names) {
        var contents = new ArrayList<String>();
        var missing = new ArrayList<String>();
        for (var name : names) {
            try {
                contents.add(Files.readString(folder.resolve(name)));
            } catch (NoSuchFileException e) {
                missing.add(name);
            } catch (IOException e) {
                throw problem("cacerts-unreadable", folder.resolve(name) + " cannot be read");
            }
        }
        if (missing.size() == names.size()) {
            return Optional.empty();
        }
        if (!missing.isEmpty()) {
            throw problem("cacerts-incomplete", "in " + folder + " there is no " + String.join(", ", missing));
        }
        return Optional.of(contents);
    }

    /// Not yet checked for what belongs together.
    SigningMaterial material() {
        var path = new LinkedHashSet<>(Pem.certificates(signer));
        if (!chain.isBlank()) {
            path.addAll(Pem.certificates(chain));
        }
        return new SigningMaterial(PemKeys.privateKey(key), List.copyOf(path), distinct(Pem.certificates(roots)));
    }

    private static List<X509Certificate> distinct(List<X509Certificate> certificates) {
        return List.copyOf(new LinkedHashSet<>(certificates));
    }

    private static ProblemException problem(String code, String message) {
        return new ProblemException(new Problem(
                code,
                message,
                "provide " + String.join(", ", OWN_NAMES) + " or " + String.join(", ", TLS_NAMES) + ", or none",
                Origin.SERVER,
                Retry.SENSIBLE));
    }

    @Override
    public String toString() {
        return "CaFiles[***]";
    }
}
