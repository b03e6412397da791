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
import io.fathom.control.envoy.sds.SecretName.Store;
import io.fathom.control.envoy.sds.SecretSources;
import io.fathom.control.gateway.GatewayVerdict;
import io.fathom.control.gateway.Hostnames;
import io.fathom.control.gateway.ListenerVerdict;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.gateway.GatewayManifest.ClientValidation;
import io.fathom.wire.kube.gateway.GatewayManifest.ClientValidation.Strictness;
import io.fathom.wire.kube.gateway.GatewayManifest.Tls;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Version;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The servers of a Gateway of the Gateway API, and of the ListenerSets that add to it: those of its listeners whose
/// verdict says that they are served, and no others. Pure.
public final class GatewayServers {
    private static final String TERMINATE_MODE = "gateway.istio.io/tls-terminate-mode";
    private static final String CIPHER_SUITES = "gateway.istio.io/tls-cipher-suites";

    private final GatewayManifest gateway;
    private final ListenerVerdict verdict;
    private final ObjectKey owner;

    private GatewayServers(GatewayManifest gateway, ListenerVerdict verdict) {
        this.gateway = gateway;
        this.verdict = verdict;
        this.owner = verdict.key().set().orElse(gateway.key());
    }

    /// The Gateway's own in their order, then those of ListenerSets, the most important first.
    public static List<IngressServer> of(GatewayVerdict verdict) {
        return verdict.served()
                .flatMap(listener -> new GatewayServers(verdict.gateway(), listener).server().stream())
                .toList();
    }

    /// The secret that the Gateway shows to backends; one that nobody ever sends when it cannot use what it names.
    public static Optional<String> clientCertificate(GatewayVerdict verdict) {
        var key = verdict.gateway().key();
        return verdict.gateway()
                .clients()
                .backend()
                .map(ref -> verdict.backend().isEmpty()
                        ? SecretName.keyPair(Store.GRANTED_SECRET, key(key, ref))
                                .toString()
                        : SecretName.INVALID + key.path());
    }

    /// Empty for tunnels, which have listeners of their own.
    private Optional<IngressServer> server() {
        var listener = verdict.listener();
        var tls = listener.tls().filter(Tls::terminates);
        return switch (listener.protocol()) {
            case "HTTP" -> Optional.of(server(ServerTraffic.HTTP, Optional.empty()));
            case "TCP" -> Optional.of(server(ServerTraffic.TCP, Optional.empty()));
            case "HTTPS" -> tls.map(own -> server(ServerTraffic.HTTPS, Optional.of(security(own))));
            case "TLS" ->
                Optional.of(tls.map(own -> server(ServerTraffic.TLS, Optional.of(security(own))))
                        .orElseGet(() -> server(ServerTraffic.PASSTHROUGH, Optional.empty())));
            default -> Optional.empty();
        };
    }

    private IngressServer server(ServerTraffic traffic, Optional<ServerSecurity> security) {
        var listener = verdict.listener();
        return new IngressServer(
                owner,
                verdict.key().set().isPresent() ? ServerOrigin.LISTENER_SET : ServerOrigin.GATEWAY_API,
                listener.name(),
                "",
                listener.port(),
                traffic,
                List.of(Hostnames.orAll(listener.hostname())),
                security,
                Plaintext.SERVED);
    }

    private ServerSecurity security(Tls tls) {
        var ciphers = Arrays.stream(
                        tls.options().getOrDefault(CIPHER_SUITES, "").split(","))
                .map(String::strip)
                .filter(cipher -> !cipher.isEmpty())
                .toList();
        return new ServerSecurity(proof(tls), clients(tls), Version.TLS_AUTO, Version.TLS_AUTO, ciphers);
    }

    private Proof proof(Tls tls) {
        return mode(tls).equals("ISTIO_MUTUAL")
                ? new Proof.OfMesh()
                : new Proof.Credentials(tls.certificates().stream()
                        .map(ref -> SecretName.keyPair(Store.GRANTED_SECRET, key(owner, ref))
                                .toString())
                        .toList());
    }

    private static String mode(Tls tls) {
        return tls.options().getOrDefault(TERMINATE_MODE, "SIMPLE");
    }

    private Clients clients(Tls tls) {
        return switch (mode(tls)) {
            case "ISTIO_MUTUAL" -> Clients.signedBy(new Authorities.Named(SecretSources.ROOTS), Demand.REQUIRED);
            case "MUTUAL" -> beside(tls, Demand.REQUIRED);
            case "OPTIONAL_MUTUAL" -> beside(tls, Demand.IF_SHOWN);
            default -> verdict.authority().map(this::validated).orElse(Clients.ANYBODY);
        };
    }

    /// Authorities of the Secret that holds the certificate, or of its neighbour.
    private Clients beside(Tls tls, Demand demand) {
        var name = SecretName.authorities(
                Store.GRANTED_SECRET, key(owner, tls.certificates().getFirst()));
        return Clients.signedBy(new Authorities.Named(name.toString()), demand);
    }

    /// What the Gateway asks of clients, also for listeners that others added.
    private Clients validated(CertificateRef authority) {
        var strictness = gateway.clients().at(verdict.listener().port()).map(ClientValidation::strictness);
        var store = authority.kind().equals("Secret") ? Store.GRANTED_SECRET : Store.CONFIG_MAP;
        var name = SecretName.authorities(store, key(gateway.key(), authority));
        return Clients.signedBy(
                new Authorities.Named(name.toString()),
                strictness.equals(Optional.of(Strictness.INSECURE_FALLBACK)) ? Demand.LOOKED_AT : Demand.REQUIRED);
    }

    private static ObjectKey key(ObjectKey from, CertificateRef ref) {
        return new ObjectKey(from.cluster(), ref.namespaceFor(from.namespace()), ref.name());
    }
}
