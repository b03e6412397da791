// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.policy.Authorization;
import io.fathom.model.routing.MeshDelta;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A mesh written down in YAML or JSON, in the shape of the dump: `workloads`, `services` and `policies`. For
/// tests and for nodes without a control plane. Fields that are not known are passed over.
public final class LocalMesh {
    private static final int PORTS = 0xffff;

    private LocalMesh() {}

    /// From a file.
    ///
    /// @throws ProblemException that names the file, the line and the field
    public static MeshDelta read(Path file) {
        try {
            return parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw new ProblemException(
                    Problem.ofInput("local-xds-unreadable", file + " cannot be read: " + e, "check LOCAL_XDS_PATH"));
        }
    }

    /// From a text.
    ///
    /// @param name what messages call the text
    /// @throws ProblemException that names the line and the field
    public static MeshDelta parse(String name, String text) {
        var addresses = new ArrayList<Address>();
        var policies = new ArrayList<Authorization>();
        try {
            for (var document : Documents.ofYaml(name, text, Limits.DEFAULT)) {
                var root = switch (document) {
                    case Document.Parsed parsed -> Field.root(parsed.root());
                    case Document.Broken broken -> throw broken.cause();
                };
                root.at("services").items().forEach(item -> addresses.add(LocalService.read(item)));
                root.at("workloads").items().forEach(item -> addresses.add(LocalWorkload.read(item)));
                root.at("policies").items().forEach(item -> policies.add(LocalPolicy.read(item)));
            }
        } catch (MisreadException e) {
            throw new ProblemException(Problem.ofInput(
                    "local-xds-malformed",
                    e.at() + ": " + e.field() + " " + e.problem().message(),
                    e.problem().fix()));
        }
        return new MeshDelta(addresses, List.of(), policies, List.of());
    }

    /// `network/ip` or `namespace/hostname`, with the port.
    static Optional<GatewayAddress> gateway(Field field) {
        if (!field.isPresent()) {
            return Optional.empty();
        }
        var text = field.at("destination").requiredText();
        var slash = text.indexOf('/');
        if (slash < 0) {
            throw field.at("destination")
                    .wrong(
                            "manifest-bad-value",
                            "is \"" + text + "\"",
                            "write network/ip, with nothing before the slash for the own network, or namespace/hostname");
        }
        var before = text.substring(0, slash);
        var after = text.substring(slash + 1);
        var destination = Ip.parse(after)
                .<GatewayAddress.GatewayDestination>map(
                        ip -> new GatewayAddress.GatewayDestination.ByAddress(NetworkAddress.of(before, ip)))
                .orElseGet(
                        () -> new GatewayAddress.GatewayDestination.ByHostname(new NamespacedHostname(before, after)));
        return Optional.of(new GatewayAddress(
                destination, field.at("hboneMtlsPort").integer(1, PORTS).orElse(15008)));
    }

    /// A map from port to target.
    static List<Port> ports(Field field) {
        var ports = new ArrayList<Port>();
        field.entries().forEach((key, target) -> {
            var port = IpPort.parsePort(key)
                    .orElseThrow(() -> target.wrong("manifest-bad-value", "is for no port", "write 80: 8080"));
            ports.add(new Port(port, target.requiredInteger(0, PORTS), AppProtocol.UNKNOWN));
        });
        return ports;
    }

    static Ip ip(Field field) {
        return Ip.parse(field.text())
                .orElseThrow(() -> field.wrong(
                        "manifest-bad-value", "is \"" + field.text() + "\"", "write an address such as 10.0.0.1"));
    }
}
