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
import io.fathom.wire.kube.ListenerSetManifest;
import io.fathom.wire.kube.ObjectKey;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The servers of a Gateway of the Gateway API, and of the ListenerSets that add to it. Pure.
///
/// A listener whose certificates may not be used, or that asks for clients whose authorities may not be used, is left
/// out: nothing is served rather than something less safe. Its status says why.
public final class GatewayServers {
    private static final String TERMINATE_MODE = "gateway.istio.io/tls-terminate-mode";
    private static final String CIPHER_SUITES = "gateway.istio.io/tls-cipher-suites";

    /// Whether somebody may refer to an object of another namespace.
    @FunctionalInterface
    public interface Grants {
        Grants NONE = (_, _, _) -> false;

        boolean permit(Referrer from, String kind, ObjectKey object);
    }

    /// Who refers: a Gateway or a ListenerSet.
    public record Referrer(String kind, ObjectKey key) {}

    private final GatewayManifest gateway;
    private final Referrer owner;
    private final Grants grants;

    private GatewayServers(GatewayManifest gateway, Referrer owner, Grants grants) {
        this.gateway = gateway;
        this.owner = owner;
        this.grants = grants;
    }

    /// Those that can be served: the Gateway's own in their order, then those of ListenerSets.
    ///
    /// @param sets that the Gateway allows, the most important first
    public static List<IngressServer> of(GatewayManifest gateway, List<ListenerSetManifest> sets, Grants grants) {
        return Stream.concat(
                        new GatewayServers(gateway, referrer(gateway), grants).servers(gateway.listeners()),
                        sets.stream()
                                .flatMap(set -> new GatewayServers(
                                                gateway, new Referrer(ListenerSetManifest.KIND, set.key()), grants)
                                        .servers(set.listeners())))
                .toList();
    }

    /// The secret that the Gateway shows to backends; one that nobody ever sends when it may not use what it names.
    public static Optional<String> clientCertificate(GatewayManifest gateway, Grants grants) {
        var servers = new GatewayServers(gateway, referrer(gateway), grants);
        return gateway.clients()
                .backend()
                .map(ref -> isSecret(ref) && servers.isUsable(servers.owner, ref)
                        ? SecretName.keyPair(Store.GRANTED_SECRET, key(servers.owner, ref))
                                .toString()
                        : SecretName.INVALID + gateway.key().path());
    }

    private static Referrer referrer(GatewayManifest gateway) {
        return new Referrer("Gateway", gateway.key());
    }

    private Stream<IngressServer> servers(List<Listener> listeners) {
        return listeners.stream().flatMap(listener -> server(listener).stream());
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
                owner.key(),
                owner.kind().equals(ListenerSetManifest.KIND) ? Origin.LISTENER_SET : Origin.GATEWAY_API,
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
                || !tls.certificates().stream().allMatch(ref -> isUsable(owner, ref) && isSecret(ref))) {
            return Optional.empty();
        }
        return Optional.of(new Proof.Credentials(tls.certificates().stream()
                .map(ref -> SecretName.keyPair(Store.GRANTED_SECRET, key(owner, ref))
                        .toString())
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
                .map(ref -> SecretName.authorities(Store.GRANTED_SECRET, key(owner, ref)))
                .map(name -> Clients.signedBy(new Authorities.Named(name.toString()), demand));
    }

    /// What the Gateway asks of clients, also for listeners that others added.
    private Optional<Clients> validated(ClientValidation validation) {
        var self = referrer(gateway);
        var demand = validation.strictness() == Strictness.VALID_ONLY ? Demand.REQUIRED : Demand.LOOKED_AT;
        return validation.authorities().stream()
                .filter(ref -> isUsable(self, ref))
                .filter(ref -> isSecret(ref) || isConfigMap(ref))
                .findFirst()
                .map(ref ->
                        SecretName.authorities(isSecret(ref) ? Store.GRANTED_SECRET : Store.CONFIG_MAP, key(self, ref)))
                .map(name -> Clients.signedBy(new Authorities.Named(name.toString()), demand));
    }

    private boolean isUsable(Referrer from, CertificateRef ref) {
        var object = key(from, ref);
        return object.namespace().equals(from.key().namespace()) || grants.permit(from, ref.kind(), object);
    }

    private static boolean isSecret(CertificateRef ref) {
        return ref.group().isEmpty() && ref.kind().equals("Secret");
    }

    private static boolean isConfigMap(CertificateRef ref) {
        return ref.group().isEmpty() && ref.kind().equals("ConfigMap");
    }

    private static ObjectKey key(Referrer from, CertificateRef ref) {
        return new ObjectKey(from.key().cluster(), ref.namespaceFor(from.key().namespace()), ref.name());
    }
}
