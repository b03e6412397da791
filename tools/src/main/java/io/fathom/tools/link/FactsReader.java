// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import io.fathom.wire.pki.Pem;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/// Reads what counts of a cluster. Blocks the caller.
///
/// @param namespace of the control planes
record FactsReader(String namespace) {
    static final Set<String> EAST_WEST_CLASSES = Set.of("istio-eastwest", "istio-east-west");
    private static final String USUAL_DOMAIN = "cluster.local";

    static FactsReader usual() {
        return new FactsReader("istio-system");
    }

    ClusterFacts read(ClusterAccess access) {
        var gateways = access.gateways();
        return new ClusterFacts(
                access.context(),
                access.clusterId().orElse(""),
                network(access),
                trustDomain(access),
                access.roots().map(pem -> certificates(access, pem)).orElse(List.of()),
                gateways.stream()
                        .filter(FactsReader::isEastWest)
                        .map(FactsReader::gateway)
                        .sorted(Comparator.comparing(EastWestGateway::path))
                        .toList(),
                gateways.stream()
                        .filter(PeerShape::isPeer)
                        .map(PeerShape::read)
                        .sorted(Comparator.comparing(PeerShape::path))
                        .toList(),
                access.trustBundles(namespace).stream()
                        .map(bundle -> bundle(access, bundle))
                        .sorted(Comparator.comparing(TrustShape::path))
                        .toList());
    }

    private static TrustShape bundle(ClusterAccess access, Tree object) {
        try {
            return TrustShape.read(object);
        } catch (MisreadException e) {
            throw new ProblemException(Problem.ofInput(
                    e.problem().code(),
                    "ConfigMap " + Field.root(object).at("metadata").at("name").text() + " of " + access.context()
                            + ": " + e.field() + " " + e.problem().message(),
                    e.problem().fix()));
        }
    }

    String network(ClusterAccess access) {
        return access.object(ClusterAccess.LinkKind.NAMESPACE, "", namespace)
                .map(found -> Field.root(found).at("metadata").at("labels").textMap())
                .map(labels -> labels.getOrDefault(PeerShape.NETWORK, ""))
                .orElse("");
    }

    private String trustDomain(ClusterAccess access) {
        return access.object(ClusterAccess.LinkKind.CONFIG_MAP, namespace, "istio")
                .map(found -> Field.root(found).at("data").at("mesh").text())
                .map(FactsReader::trustDomain)
                .orElse(USUAL_DOMAIN);
    }

    private static String trustDomain(String mesh) {
        for (var document : Documents.ofYaml("mesh", mesh, Limits.DEFAULT)) {
            if (document instanceof Document.Parsed(var root)) {
                return Field.root(root).at("trustDomain").text(USUAL_DOMAIN);
            }
        }
        return USUAL_DOMAIN;
    }

    private static List<X509Certificate> certificates(ClusterAccess access, String pem) {
        try {
            return Pem.certificates(pem);
        } catch (ProblemException e) {
            throw new ProblemException(Problem.ofInput(
                    "roots-unreadable",
                    "the roots of " + access.context() + " cannot be read: "
                            + e.problem().message(),
                    "see what is in ConfigMap istio-ca-root-cert there"));
        }
    }

    private static boolean isEastWest(Tree gateway) {
        return EAST_WEST_CLASSES.contains(
                Field.root(gateway).at("spec").at("gatewayClassName").text());
    }

    private static EastWestGateway gateway(Tree gateway) {
        var root = Field.root(gateway);
        var metadata = root.at("metadata");
        var name = metadata.at("name").text();
        var status = PeerShape.addresses(root.at("status").at("addresses"));
        var addresses = status.stream()
                .filter(address -> status.size() == 1 || address.complaint().isEmpty())
                .toList();
        return new EastWestGateway(
                metadata.at("namespace").text("default"),
                name,
                metadata.at("annotations").textMap().getOrDefault(PeerShape.ACCOUNT, name),
                addresses.isEmpty() ? status : addresses,
                port(root, "HBONE", 0),
                port(root, "TLS", 15012));
    }

    /// @param usual port that it has to be; 0 for any
    private static OptionalInt port(Field gateway, String protocol, int usual) {
        var ports = new ArrayList<Integer>();
        for (var listener : gateway.at("spec").at("listeners").items()) {
            var port = listener.at("port").integer(1, 65535).orElse(0);
            var named = listener.at("name").text().equals("xds-tls");
            if (listener.at("protocol").text().equals(protocol) && (usual == 0 || port == usual || named)) {
                ports.add(port);
            }
        }
        return ports.isEmpty() ? OptionalInt.empty() : OptionalInt.of(ports.getFirst());
    }
}
