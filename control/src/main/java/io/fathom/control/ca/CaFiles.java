// SPDX-License-Identifier: Apache-2.0
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
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Plugged certificates as text: the content of a folder or of Secret `cacerts`. Holds a key, so it is never printed.
///
/// @param chain the signer and what is between it and its root
/// @param roots what clients must trust
/// @param revocations empty when there are none
public record CaFiles(String signer, String key, String chain, String roots, String revocations) {
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

    /// The four files under the names that control planes look for.
    ///
    /// @throws ProblemException if one of them is missing
    public static CaFiles of(RootStore.Content content) {
        var missing = OWN_NAMES.stream()
                .filter(name -> !content.entries().containsKey(name))
                .toList();
        if (!missing.isEmpty()) {
            throw problem("cacerts-incomplete", "there is no " + String.join(", ", missing));
        }
        return new CaFiles(
                content.entry("ca-cert.pem"),
                content.entry("ca-key.pem"),
                content.entry("cert-chain.pem"),
                content.entry("root-cert.pem"),
                content.entry(REVOCATIONS));
    }

    /// The text of what is to be stored. Text that means the same as before stays the same: a stock control plane that
    /// must not change its roots compares them so. The order of roots does not depend on which one signs.
    public static CaFiles of(SigningMaterial material, List<X509Certificate> roots, Optional<CaFiles> before) {
        var rootText = before.filter(old -> Set.copyOf(old.material().roots()).equals(Set.copyOf(roots)))
                .map(CaFiles::roots)
                .orElseGet(() -> roots.stream().map(Pem::encode).sorted().collect(Collectors.joining()));
        return before.filter(old -> old.material().signer().equals(material.signer()))
                .map(old -> new CaFiles(old.signer, old.key, old.chain, rootText, old.revocations))
                .orElseGet(() -> new CaFiles(
                        Pem.encode(material.signer()),
                        Pem.encode(material.key()),
                        Pem.encode(material.chain()),
                        rootText,
                        ""));
    }

    /// As entries of Secret `cacerts`, or as files.
    ///
    /// @param others what is stored beside them and stays
    public RootStore.Content content(Map<String, String> others) {
        var entries = new HashMap<>(others);
        entries.put("ca-cert.pem", signer);
        entries.put("ca-key.pem", key);
        entries.put("cert-chain.pem", chain);
        entries.put("root-cert.pem", roots);
        return new RootStore.Content(entries);
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
    public SigningMaterial material() {
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
