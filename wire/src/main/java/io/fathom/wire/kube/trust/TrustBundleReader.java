// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.trust;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.trust.PeerTrust;
import io.fathom.model.trust.PeerTrust.TrustConsent;
import io.fathom.model.trust.TrustBundle;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TrustRoots;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Reads ConfigMaps with the roots of other clusters. Each root has to be pinned by its fingerprint, so that nobody
/// adds one by the way; an object that is not sound in every part does not count.
public final class TrustBundleReader implements KindReader {
    /// As `openssl x509 -fingerprint -sha256` prints it, or without what is for people.
    private static final Pattern PREFIX = Pattern.compile("^(sha256 fingerprint=|sha256:)");

    private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{64}");

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var bare = new Metadata(
                metadata.key(), metadata.uid(), Map.of(), Map.of(), metadata.created(), metadata.lifecycle());
        return new TrustBundleManifest(bare, trust(object));
    }

    static PeerTrust trust(Field object) {
        var metadata = object.at("metadata");
        var data = object.at("data");
        var domain = data.at(TrustBundleObject.TRUST_DOMAIN);
        if (!TrustBundle.isName(domain.requiredText())) {
            throw domain.wrong(
                    "manifest-bad-value",
                    "is \"" + domain.text() + "\", which is no trust domain",
                    "write it as in MeshConfig, without spiffe://");
        }
        var roots = roots(data.at(TrustBundleObject.ROOTS));
        pinned(roots, data.at(TrustBundleObject.FINGERPRINTS));
        var cluster = metadata.at("labels").at(TrustBundleObject.CLUSTER);
        return new PeerTrust(
                cluster.requiredText(), TrustBundle.of(domain.text(), roots), consent(metadata.at("annotations")));
    }

    private static TrustConsent consent(Field annotations) {
        var shared = annotations.at(TrustBundleObject.SHARED);
        return switch (shared.text("false")) {
            case "true" -> TrustConsent.SHARED_DOMAIN;
            case "false" -> TrustConsent.OWN_DOMAIN;
            default ->
                throw shared.wrong(
                        "manifest-unknown-value", "is \"" + shared.text() + "\"", "write \"true\" or \"false\"");
        };
    }

    private static List<TrustRoot> roots(Field pem) {
        try {
            var certificates = Pem.certificates(pem.requiredText());
            for (var certificate : certificates) {
                if (!TrustRoots.isAuthority(certificate)) {
                    throw pem.wrong(
                            "trust-root-no-authority",
                            "holds '" + certificate.getSubjectX500Principal() + "', which may not sign others",
                            "put the root of the cluster there, as in its ConfigMap istio-ca-root-cert");
                }
            }
            return TrustRoots.of(certificates);
        } catch (ProblemException e) {
            throw pem.wrong(
                    e.problem().code(), e.problem().message(), e.problem().fix());
        }
    }

    private static void pinned(List<TrustRoot> roots, Field fingerprints) {
        var pins = pins(fingerprints);
        var actual = roots.stream().map(TrustRoot::fingerprint).collect(Collectors.toSet());
        var foreign = new TreeSet<>(actual);
        foreign.removeAll(pins);
        if (!foreign.isEmpty()) {
            throw fingerprints.wrong(
                    "trust-root-not-pinned",
                    "does not name " + String.join(" and ", foreign) + ", and " + TrustBundleObject.ROOTS + " holds it",
                    "compare it with the other cluster, then add the fingerprint, or run fathomctl multicluster link");
        }
        var missing = new TreeSet<>(pins);
        missing.removeAll(actual);
        if (!missing.isEmpty()) {
            throw fingerprints.wrong(
                    "trust-root-missing",
                    "names " + String.join(" and ", missing) + ", and " + TrustBundleObject.ROOTS + " has no such root",
                    "add the certificate, or take the fingerprint out");
        }
    }

    private static Set<String> pins(Field fingerprints) {
        var pins = new ArrayList<String>();
        for (var line : fingerprints.requiredText().split("[\n,]", -1)) {
            var text = line.strip().toLowerCase(Locale.ROOT);
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            var pin = PREFIX.matcher(text).replaceFirst("").replace(":", "");
            if (!FINGERPRINT.matcher(pin).matches()) {
                throw fingerprints.wrong(
                        "trust-fingerprint-malformed",
                        "holds \"" + line.strip() + "\", which is no SHA-256 fingerprint",
                        "write 64 hexadecimal digits on each line: openssl x509 -noout -fingerprint -sha256");
            }
            pins.add(pin);
        }
        return Set.copyOf(pins);
    }
}
