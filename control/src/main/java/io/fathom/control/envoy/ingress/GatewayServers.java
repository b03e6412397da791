package io.fathom.control.envoy.ingress;

import io.fathom.control.envoy.ingress.IngressServer.Origin;
import io.fathom.control.envoy.ingress.IngressServer.Plaintext;
import io.fathom.control.envoy.ingress.IngressServer.Traffic;
import io.fathom.control.envoy.ingress.ServerSecurity.Authorities;
import io.fathom.control.envoy.ingress.ServerSecurity.Clients;
import io.fathom.control.envoy.ingress.ServerSecurity.Demand;
import io.fathom.control.envoy.ingress.ServerSecurity.Proof;
import io.fathom.control.envoy.sds.SecretName;
import io.fathom.control.envoy.sds.SecretName.Store;
import io.fathom.control.envoy.sds.SecretSources;
import io.fathom.wire.kube.GatewayManifest;
import io.fathom.wire.kube.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.GatewayManifest.ClientValidation;
import io.fathom.wire.kube.GatewayManifest.ClientValidation.Strictness;
import io.fathom.wire.kube.GatewayManifest.Listener;
import io.fathom.wire.kube.GatewayManifest.Tls;
import io.fathom.wire.kube.IstioGatewayManifest.ServerTls.Version;
import io.fathom.wire.kube.ObjectKey;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The servers of a Gateway of the Gateway API. Pure.
///
/// A listener whose certificates may not be used, or that asks for clients whose authorities may not be used, is left
/// out: nothing is served rather than something less safe. Its status says why.
public final class GatewayServers {
    private static final String TERMINATE_MODE = "gateway.istio.io/tls-terminate-mode";
    private static final String CIPHER_SUITES = "gateway.istio.io/tls-cipher-suites";

    /// Whether a Gateway may refer to an object of another namespace.
    @FunctionalInterface
    public interface Grants {
        Grants NONE = (_, _, _) -> false;

        boolean permit(String gatewayNamespace, String kind, ObjectKey object);
    }

    private final GatewayManifest gateway;
    private final Grants grants;

    private GatewayServers(GatewayManifest gateway, Grants grants) {
        this.gateway = gateway;
        this.grants = grants;
    }

    /// Those that can be served, in the order of the Gateway.
    public static List<IngressServer> of(GatewayManifest gateway, Grants grants) {
        var servers = new GatewayServers(gateway, grants);
        return gateway.listeners().stream()
                .flatMap(listener -> servers.server(listener).stream())
                .toList();
    }

    private Optional<IngressServer> server(Listener listener) {
        return switch (listener.protocol()) {
            case "HTTP" -> Optional.of(server(listener, Traffic.HTTP, Optional.empty()));
            case "TCP" -> Optional.of(server(listener, Traffic.TCP, Optional.empty()));
            case "HTTPS" -> terminated(listener, Traffic.HTTPS);
            case "TLS" ->
                listener.tls().filter(Tls::terminates).isPresent()
                        ? terminated(listener, Traffic.TLS)
                        : Optional.of(server(listener, Traffic.PASSTHROUGH, Optional.empty()));
            default -> Optional.empty();
        };
    }

    private Optional<IngressServer> terminated(Listener listener, Traffic traffic) {
        return listener.tls()
                .filter(Tls::terminates)
                .flatMap(tls -> security(listener, tls))
                .map(security -> server(listener, traffic, Optional.of(security)));
    }

    private IngressServer server(Listener listener, Traffic traffic, Optional<ServerSecurity> security) {
        var hosts = listener.hostname().isEmpty() ? List.of("*") : List.of(listener.hostname());
        return new IngressServer(
                gateway.key(),
                Origin.GATEWAY_API,
                listener.name(),
                "",
                listener.port(),
                traffic,
                hosts,
                security,
                Plaintext.SERVED);
    }

    private Optional<ServerSecurity> security(Listener listener, Tls tls) {
        var ciphers = Arrays.stream(
                        tls.options().getOrDefault(CIPHER_SUITES, "").split(","))
                .map(String::strip)
                .filter(cipher -> !cipher.isEmpty())
                .toList();
        return proof(tls)
                .flatMap(proof -> clients(listener, tls)
                        .map(clients ->
                                new ServerSecurity(proof, clients, Version.TLS_AUTO, Version.TLS_AUTO, ciphers)));
    }

    private Optional<Proof> proof(Tls tls) {
        if (mode(tls).equals("ISTIO_MUTUAL")) {
            return Optional.of(new Proof.OfMesh());
        }
        if (tls.certificates().isEmpty()
                || !tls.certificates().stream().allMatch(ref -> isUsable(ref) && isSecret(ref))) {
            return Optional.empty();
        }
        return Optional.of(new Proof.Credentials(tls.certificates().stream()
                .map(ref -> SecretName.keyPair(Store.GRANTED_SECRET, key(ref)).toString())
                .toList()));
    }

    private static String mode(Tls tls) {
        return tls.options().getOrDefault(TERMINATE_MODE, "SIMPLE");
    }

    /// Empty when they cannot be told who may come in.
    private Optional<Clients> clients(Listener listener, Tls tls) {
        return switch (mode(tls)) {
            case "ISTIO_MUTUAL" ->
                Optional.of(Clients.signedBy(new Authorities.Named(SecretSources.ROOTS), Demand.REQUIRED));
            case "MUTUAL" -> beside(tls, Demand.REQUIRED);
            case "OPTIONAL_MUTUAL" -> beside(tls, Demand.IF_SHOWN);
            default ->
                gateway.clients().at(listener.port()).map(this::validated).orElse(Optional.of(Clients.ANYBODY));
        };
    }

    /// Authorities of the Secret that holds the certificate, or of its neighbour.
    private Optional<Clients> beside(Tls tls, Demand demand) {
        return tls.certificates().stream()
                .findFirst()
                .map(ref -> SecretName.authorities(Store.GRANTED_SECRET, key(ref)))
                .map(name -> Clients.signedBy(new Authorities.Named(name.toString()), demand));
    }

    private Optional<Clients> validated(ClientValidation validation) {
        var demand = validation.strictness() == Strictness.VALID_ONLY ? Demand.REQUIRED : Demand.LOOKED_AT;
        return validation.authorities().stream()
                .filter(this::isUsable)
                .filter(ref -> isSecret(ref) || isConfigMap(ref))
                .findFirst()
                .map(ref -> SecretName.authorities(isSecret(ref) ? Store.GRANTED_SECRET : Store.CONFIG_MAP, key(ref)))
                .map(name -> Clients.signedBy(new Authorities.Named(name.toString()), demand));
    }

    private boolean isUsable(CertificateRef ref) {
        return ref.namespaceFor(gateway.namespace()).equals(gateway.namespace())
                || grants.permit(gateway.namespace(), ref.kind(), key(ref));
    }

    private static boolean isSecret(CertificateRef ref) {
        return ref.group().isEmpty() && ref.kind().equals("Secret");
    }

    private static boolean isConfigMap(CertificateRef ref) {
        return ref.group().isEmpty() && ref.kind().equals("ConfigMap");
    }

    private ObjectKey key(CertificateRef ref) {
        return new ObjectKey(gateway.key().cluster(), ref.namespaceFor(gateway.namespace()), ref.name());
    }
}
