// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.fathom.control.envoy.ingress.IngressServer.Plaintext;
import io.fathom.control.envoy.ingress.IngressServer.ServerOrigin;
import io.fathom.control.envoy.ingress.IngressServer.ServerTraffic;
import io.fathom.control.envoy.ingress.ServerSecurity.Authorities;
import io.fathom.control.envoy.ingress.ServerSecurity.Clients;
import io.fathom.control.envoy.ingress.ServerSecurity.Demand;
import io.fathom.control.envoy.ingress.ServerSecurity.Proof;
import io.fathom.control.envoy.sds.SecretName;
import io.fathom.control.envoy.sds.SecretSources;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import io.fathom.wire.kube.networking.IstioGatewayManifest.Server;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Mode;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Redirect;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The servers of an Istio Gateway, for proxies of one namespace: its credentials are Secrets beside the proxies. Pure.
///
/// A server that makes no sense is left out.
public final class IstioServers {
    private static final String BUILTIN = "builtin://";
    private static final String EXTERNAL = "sds://";

    private final IstioGatewayManifest gateway;
    private final String proxyNamespace;

    private IstioServers(IstioGatewayManifest gateway, String proxyNamespace) {
        this.gateway = gateway;
        this.proxyNamespace = proxyNamespace;
    }

    public static List<IngressServer> of(IstioGatewayManifest gateway, String proxyNamespace) {
        var servers = new IstioServers(gateway, proxyNamespace);
        return gateway.servers().stream()
                .flatMap(server -> servers.server(server).stream())
                .toList();
    }

    private Optional<IngressServer> server(Server server) {
        return switch (server.port().protocol().toUpperCase(Locale.ROOT)) {
            case "HTTP", "HTTP2", "GRPC", "GRPC-WEB", "HTTP_PROXY" ->
                Optional.of(server(server, ServerTraffic.HTTP, Optional.empty()));
            case "HTTPS" ->
                server.tls()
                        .flatMap(tls -> passedThrough(tls)
                                .map(traffic -> server(server, traffic, Optional.empty()))
                                .or(() -> security(tls)
                                        .map(security -> server(server, ServerTraffic.HTTPS, Optional.of(security)))));
            case "TLS" ->
                server.tls()
                        .flatMap(tls -> passedThrough(tls)
                                .map(traffic -> server(server, traffic, Optional.empty()))
                                .or(() -> security(tls)
                                        .map(security -> server(server, ServerTraffic.TLS, Optional.of(security)))));
            case "TCP", "MONGO", "REDIS", "MYSQL" ->
                server.tls().isEmpty()
                        ? Optional.of(server(server, ServerTraffic.TCP, Optional.empty()))
                        : server.tls()
                                .flatMap(this::security)
                                .map(security -> server(server, ServerTraffic.TLS, Optional.of(security)));
            default -> Optional.empty();
        };
    }

    private static Optional<ServerTraffic> passedThrough(ServerTls tls) {
        return switch (tls.mode()) {
            case PASSTHROUGH -> Optional.of(ServerTraffic.PASSTHROUGH);
            case AUTO_PASSTHROUGH -> Optional.of(ServerTraffic.AUTO_PASSTHROUGH);
            case SIMPLE, MUTUAL, OPTIONAL_MUTUAL, ISTIO_MUTUAL -> Optional.empty();
        };
    }

    private IngressServer server(Server server, ServerTraffic traffic, Optional<ServerSecurity> security) {
        var redirected = traffic == ServerTraffic.HTTP
                && server.tls()
                        .filter(tls -> tls.redirect() == Redirect.TO_HTTPS)
                        .isPresent();
        return new IngressServer(
                gateway.key(),
                ServerOrigin.ISTIO,
                server.port().name(),
                server.bind(),
                server.port().number(),
                traffic,
                server.hosts().stream().map(this::host).toList(),
                security,
                redirected ? Plaintext.REDIRECTED : Plaintext.SERVED);
    }

    /// `./host` means VirtualServices beside the Gateway; `*/host` those of all namespaces, as without any.
    private String host(String written) {
        return written.startsWith("./")
                ? gateway.namespace() + written.substring(1)
                : written.replaceFirst("^\\*/", "");
    }

    private Optional<ServerSecurity> security(ServerTls tls) {
        return switch (tls.mode()) {
            case PASSTHROUGH, AUTO_PASSTHROUGH -> Optional.empty();
            case ISTIO_MUTUAL ->
                Optional.of(secured(tls, new Proof.OfMesh(), new Authorities.Named(SecretSources.ROOTS)));
            case SIMPLE ->
                proof(tls)
                        .map(proof -> new ServerSecurity(
                                proof, Clients.ANYBODY, tls.least(), tls.most(), tls.cipherSuites()));
            case MUTUAL, OPTIONAL_MUTUAL ->
                proof(tls).flatMap(proof -> authorities(tls).map(authorities -> secured(tls, proof, authorities)));
        };
    }

    private static ServerSecurity secured(ServerTls tls, Proof proof, Authorities authorities) {
        var demand = tls.mode() == Mode.OPTIONAL_MUTUAL ? Demand.IF_SHOWN : Demand.REQUIRED;
        return new ServerSecurity(
                proof,
                new Clients(demand, Optional.of(authorities), tls.subjectAltNames(), tls.spki(), tls.hashes()),
                tls.least(),
                tls.most(),
                tls.cipherSuites());
    }

    private Optional<Proof> proof(ServerTls tls) {
        if (tls.credentials().isEmpty()) {
            return tls.files().chain().isEmpty() || tls.files().key().isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            new Proof.Files(tls.files().chain(), tls.files().key()));
        }
        if (tls.credentials().contains(BUILTIN)) {
            return Optional.of(new Proof.OfMesh());
        }
        var names =
                tls.credentials().stream().flatMap(name -> named(name).stream()).toList();
        return names.size() == tls.credentials().size() ? Optional.of(new Proof.Credentials(names)) : Optional.empty();
    }

    /// Empty for a Secret that is not beside the proxies: with a name alone nobody gets at those of other namespaces.
    private Optional<String> named(String credential) {
        if (credential.startsWith(EXTERNAL)) {
            return Optional.of(credential); // somebody else answers
        }
        var text = credential.contains("://") ? credential : "kubernetes://" + credential;
        return SecretName.parse(text, proxyNamespace)
                .filter(name -> name.namespace().equals(proxyNamespace))
                .map(_ -> text);
    }

    private Optional<Authorities> authorities(ServerTls tls) {
        var written =
                tls.authorities().isEmpty() ? tls.credentials().stream().findFirst() : Optional.of(tls.authorities());
        if (written.isPresent()) {
            return written.flatMap(this::authoritiesOf);
        }
        return tls.files().authorities().isEmpty()
                ? Optional.empty()
                : Optional.of(new Authorities.File(tls.files().authorities()));
    }

    private Optional<Authorities> authoritiesOf(String credential) {
        if (credential.equals(BUILTIN)) {
            return Optional.of(new Authorities.Named(SecretSources.ROOTS));
        }
        var suffixed = credential.endsWith(SecretName.AUTHORITIES_SUFFIX)
                ? credential
                : credential + SecretName.AUTHORITIES_SUFFIX;
        return named(suffixed).map(Authorities.Named::new);
    }
}
