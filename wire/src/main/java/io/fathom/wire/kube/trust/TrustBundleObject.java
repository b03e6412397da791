// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.trust;

import io.fathom.model.trust.PeerTrust;
import io.fathom.model.trust.PeerTrust.TrustConsent;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The ConfigMap for the roots of another cluster, as `fathomctl multicluster link` and agents write it into the system
/// namespace. Stateless.
public final class TrustBundleObject {
    /// Whatever has this label, in the system namespace, is one. Its value does not matter.
    public static final String LABEL = "fathom.io/trust-bundle";

    /// The cluster whose roots they are.
    public static final String CLUSTER = "topology.istio.io/cluster";

    /// `true` lets the roots vouch for a trust domain that others have, too. Only people say so.
    public static final String SHARED = "fathom.io/shared-trust-domain";

    static final String TRUST_DOMAIN = "trust-domain";
    static final String ROOTS = "roots.pem";
    static final String FINGERPRINTS = "fingerprints";

    private static final String OWNER = "app.kubernetes.io/managed-by";
    private static final String PREFIX = "istio-trust-peer-";
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private TrustBundleObject() {}

    /// What the object for a cluster is called. Objects have small letters.
    public static String name(String cluster) {
        return PREFIX + cluster.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9-]", "-");
    }

    /// The object.
    ///
    /// @param namespace of the control plane
    /// @param owner who writes it, and who alone may change or remove it again
    public static Tree tree(String namespace, PeerTrust trust, String owner) {
        return tree(namespace, trust, owner, Map.of());
    }

    /// The object with more labels.
    public static Tree tree(String namespace, PeerTrust trust, String owner, Map<String, String> more) {
        var labels = new TreeMap<>(more);
        labels.putAll(Map.of(OWNER, owner, LABEL, "peer", CLUSTER, trust.cluster()));
        var metadata = new LinkedHashMap<String, Object>();
        metadata.put("name", name(trust.cluster()));
        metadata.put("namespace", namespace);
        metadata.put("labels", labels);
        if (trust.consent() == TrustConsent.SHARED_DOMAIN) {
            metadata.put("annotations", Map.of(SHARED, "true"));
        }
        var roots = trust.bundle().roots();
        var data = new LinkedHashMap<String, Object>();
        data.put(TRUST_DOMAIN, trust.bundle().trustDomain());
        data.put(FINGERPRINTS, roots.stream().map(TrustRoot::fingerprint).collect(Collectors.joining("\n", "", "\n")));
        data.put(ROOTS, roots.stream().map(TrustBundleObject::pem).collect(Collectors.joining()));
        var object = new LinkedHashMap<String, Object>();
        object.put("apiVersion", "v1");
        object.put("kind", "ConfigMap");
        object.put("metadata", metadata);
        object.put("data", data);
        return Json.of(object);
    }

    private static String pem(TrustRoot root) {
        return "-----BEGIN CERTIFICATE-----\n" + LINES.encodeToString(root.der()) + "\n-----END CERTIFICATE-----\n";
    }

    /// Whether a ConfigMap is one, wherever it is.
    public static boolean isOne(Field object) {
        try {
            return object.at("metadata").at("labels").at(LABEL).isPresent();
        } catch (MisreadException _) {
            return false;
        }
    }

    /// What an object says.
    ///
    /// @throws MisreadException if it is not sound
    public static PeerTrust read(Tree object) {
        return TrustBundleReader.trust(Field.root(object));
    }

    /// Who wrote an object; empty if it does not say.
    public static String owner(Tree object) {
        return Field.root(object).at("metadata").at("labels").at(OWNER).text();
    }
}
