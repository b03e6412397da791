// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Likeness;
import io.fathom.base.lang.Problem;
import io.fathom.control.gateway.Certificates.Referrer;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.gateway.GatewayManifest.Tls;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.gateway.ReferenceGrantManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The verdicts of all Gateways of ours and of their listeners. Judged again when something that a verdict looked at
/// changes.
public final class ListenerTables {
    private final Inputs inputs;
    private final CertificateTables certificates;
    private final Index<ObjectKey, ObjectKey, ListenerSetManifest> sets;
    private final Table<ObjectKey, GatewayVerdict> gateways;
    private final Table<ListenerKey, ListenerVerdict> listeners;
    private final Table<ManifestId, ManifestId> needed;
    private final Table<ObjectKey, Problem> problems;

    /// What is wanted of a Secret; authorities may be in a neighbour of it.
    private enum Half {
        KEY,
        AUTHORITIES
    }

    /// The tables that Gateways refer to.
    ///
    /// @param absent what was asked for by name and is not there
    public record Inputs(
            Table<ObjectKey, GatewayManifest> gateways,
            Table<ObjectKey, ListenerSetManifest> listenerSets,
            Table<ObjectKey, GatewayClassManifest> classes,
            Table<ObjectKey, NamespaceManifest> namespaces,
            Table<ObjectKey, ReferenceGrantManifest> grants,
            Table<ObjectKey, CredentialManifest> credentials,
            Table<ObjectKey, CaBundleManifest> bundles,
            Table<ManifestId, ManifestId> absent,
            SecretsSource secrets) {}

    /// Adds its tables to a flow.
    public ListenerTables(Flow flow, Inputs inputs) {
        this.inputs = inputs;
        certificates = new CertificateTables(
                flow,
                new CertificateTables.Inputs(
                        inputs.credentials(), inputs.bundles(), inputs.grants(), inputs.absent(), inputs.secrets()));
        sets = flow.index(
                "gateways/listener-sets",
                inputs.listenerSets(),
                set -> set.parent().isGateway() ? Set.of(set.gateway()) : Set.of());
        gateways = flow.derive("gateways/verdicts", inputs.gateways(), this::judge);
        listeners = flow.deriveMany("gateways/listeners", gateways, (_, verdict) -> byKey(verdict));
        problems = flow.derive("gateways/class-problems", inputs.gateways(), this::classProblem);
        needed = flow.deriveMany("gateways/needed-objects", gateways, (fetch, verdict) -> needed(fetch, verdict));
    }

    /// Gateways of our classes.
    public Table<ObjectKey, GatewayVerdict> gateways() {
        return gateways;
    }

    /// A row for each listener of a Gateway of ours, or of a ListenerSet that it allows.
    public Table<ListenerKey, ListenerVerdict> listeners() {
        return listeners;
    }

    /// The Secrets and ConfigMaps that verdicts look for, whatever they find; each under its own key.
    public Table<ManifestId, ManifestId> needed() {
        return needed;
    }

    /// What is wrong with Gateways that are nobody's: no condition may say it.
    public Table<ObjectKey, Problem> problems() {
        return problems;
    }

    /// A class that nobody declares. One that a GatewayClass declares may be somebody else's.
    private Optional<Problem> classProblem(Fetch<ObjectKey> fetch, GatewayManifest gateway) {
        var name = gateway.className();
        var isKnown = profile(fetch, gateway).isPresent()
                || fetch.one(inputs.classes(), new ObjectKey(gateway.key().cluster(), "", name))
                        .isPresent();
        if (isKnown) {
            return Optional.empty();
        }
        var ours = Arrays.stream(GatewayProfile.values())
                .map(GatewayProfile::className)
                .distinct()
                .toList();
        return Optional.of(Problem.ofInput(
                "gateway-class-unknown",
                "there is no GatewayClass %s, and nobody looks after Gateway %s"
                        .formatted(name, gateway.key().path()),
                Likeness.closest(name, ours.stream())
                        .map(meant -> "write " + meant)
                        .orElseGet(() ->
                                "write one of %s, or create the GatewayClass".formatted(String.join(", ", ours)))));
    }

    private Optional<GatewayVerdict> judge(Fetch<ObjectKey> fetch, GatewayManifest gateway) {
        return profile(fetch, gateway)
                .map(profile -> GatewayVerdict.of(
                        gateway,
                        fetch.all(sets, gateway.key()),
                        set -> gateway.allowedListeners()
                                .permits(gateway.namespace(), set.namespace(), () -> labels(fetch, set.key())),
                        profile,
                        certificates.of(fetch)));
    }

    /// Empty for a Gateway that is somebody else's.
    Optional<GatewayProfile> profile(Fetch<?> fetch, GatewayManifest gateway) {
        var name = new ObjectKey(gateway.key().cluster(), "", gateway.className());
        return GatewayProfile.of(
                gateway.className(), fetch.one(inputs.classes(), name).map(GatewayClassManifest::controllerName));
    }

    private Map<String, String> labels(Fetch<?> fetch, ObjectKey set) {
        return fetch.one(inputs.namespaces(), new ObjectKey(set.cluster(), "", set.namespace()))
                .map(NamespaceManifest::labels)
                .orElseGet(() -> Map.of("kubernetes.io/metadata.name", set.namespace()));
    }

    private static Map<ListenerKey, ListenerVerdict> byKey(GatewayVerdict verdict) {
        var result = new LinkedHashMap<ListenerKey, ListenerVerdict>();
        verdict.listeners().forEach(listener -> result.put(listener.key(), listener));
        return result;
    }

    private Map<ManifestId, ManifestId> needed(Fetch<?> fetch, GatewayVerdict verdict) {
        var result = new LinkedHashMap<ManifestId, ManifestId>();
        var gateway = verdict.gateway();
        var self = new Referrer("Gateway", gateway.key());
        gateway.clients().backend().ifPresent(ref -> add(fetch, self, ref, Half.KEY, result));
        gateway.clients()
                .validations()
                .flatMap(validation -> validation.authorities().stream())
                .forEach(ref -> add(fetch, self, ref, Half.AUTHORITIES, result));
        add(fetch, self, gateway.listeners(), result);
        verdict.sets().stream()
                .filter(set -> set.permission() == GatewayVerdict.Permission.ALLOWED)
                .map(GatewayVerdict.SetVerdict::set)
                .forEach(set -> add(fetch, new Referrer(ListenerSetManifest.KIND, set.key()), set.listeners(), result));
        return result;
    }

    private void add(Fetch<?> fetch, Referrer owner, List<Listener> listeners, Map<ManifestId, ManifestId> result) {
        for (var listener : listeners) {
            listener.tls()
                    .filter(Tls::terminates)
                    .ifPresent(tls -> tls.certificates()
                            .forEach(ref -> add(
                                    fetch,
                                    owner,
                                    ref,
                                    ListenerJudge.isMutual(tls) ? Half.AUTHORITIES : Half.KEY,
                                    result)));
        }
    }

    /// Nothing that its owner may not use.
    private void add(
            Fetch<?> fetch, Referrer owner, CertificateRef ref, Half half, Map<ManifestId, ManifestId> result) {
        var key = CertificateTables.secretOf(owner.key(), ref);
        var isSecret = CertificateTables.isSecret(ref);
        if ((isSecret || CertificateTables.isConfigMap(ref)) && certificates.permits(fetch, owner, ref.kind(), key)) {
            var id = new ManifestId(isSecret ? CredentialManifest.class : CaBundleManifest.class, key);
            result.put(id, id);
            if (isSecret && half == Half.AUTHORITIES) {
                var beside = new ManifestId(CredentialManifest.class, CertificateTables.beside(key));
                result.put(beside, beside);
            }
        }
    }
}
