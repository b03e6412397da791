// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.networking.IstioGatewayManifest.CertificateFiles;
import io.fathom.wire.kube.networking.IstioGatewayManifest.Port;
import io.fathom.wire.kube.networking.IstioGatewayManifest.Server;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Mode;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Redirect;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Version;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads Gateways of Istio's own.
public final class IstioGatewayReader implements KindReader {
    private static final Choices<Mode> MODES = Choices.of(Mode.class, Mode::name);
    private static final Choices<Version> VERSIONS = Choices.of(Version.class, Version::name);

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new IstioGatewayManifest(
                metadata,
                interner.map(spec.at("selector").textMap()),
                spec.at("servers").items().stream()
                        .map(server -> server(server, interner))
                        .toList());
    }

    private static Server server(Field server, Interner interner) {
        var port = server.at("port");
        var hosts = server.at("hosts");
        if (hosts.items().isEmpty()) {
            throw hosts.missing("list the hosts that it is for, or \"*\"");
        }
        return new Server(
                server.at("name").text(),
                new Port(
                        Ports.number(port.at("number")),
                        interner.text(port.at("protocol").requiredText()),
                        interner.text(port.at("name").requiredText())),
                server.at("bind").text(),
                hosts.texts(),
                tls(server.at("tls")),
                server.at("defaultEndpoint").text());
    }

    private static Optional<ServerTls> tls(Field tls) {
        if (!tls.isPresent()) {
            return Optional.empty();
        }
        var mode = tls.at("mode").oneOf(MODES, Mode.PASSTHROUGH);
        return Optional.of(new ServerTls(
                mode,
                tls.at("httpsRedirect").flag() ? Redirect.TO_HTTPS : Redirect.NONE,
                credentials(tls),
                tls.at("caCertCredentialName").text(),
                files(tls),
                tls.at("subjectAltNames").texts(),
                tls.at("verifyCertificateSpki").texts(),
                tls.at("verifyCertificateHash").texts(),
                tls.at("minProtocolVersion").oneOf(VERSIONS, Version.TLS_AUTO),
                tls.at("maxProtocolVersion").oneOf(VERSIONS, Version.TLS_AUTO),
                tls.at("cipherSuites").texts()));
    }

    private static List<String> credentials(Field tls) {
        var names = new ArrayList<>(tls.at("credentialNames").texts());
        var single = tls.at("credentialName").text();
        if (!single.isEmpty() && !names.isEmpty()) {
            throw tls.at("credentialName")
                    .wrong("manifest-bad-value", "stands beside credentialNames", "write only one of them");
        }
        if (!single.isEmpty()) {
            names.add(single);
        }
        return names;
    }

    private static CertificateFiles files(Field tls) {
        return new CertificateFiles(
                tls.at("serverCertificate").text(),
                tls.at("privateKey").text(),
                tls.at("caCertificates").text());
    }
}
