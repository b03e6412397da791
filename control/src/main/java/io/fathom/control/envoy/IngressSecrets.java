// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.cluster.UpstreamCredentials;
import io.fathom.control.envoy.ingress.IngressListeners;
import io.fathom.control.envoy.ingress.IngressServer.ServerOrigin;
import io.fathom.control.envoy.sds.SecretName;
import io.fathom.control.envoy.sds.SecretResources;
import io.fathom.control.envoy.sds.SecretResources.SecretLookup;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.DestinationRuleManifest;
import io.fathom.wire.xds.store.XdsType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The certificates that the servers and clusters of ingress proxies name. Nothing else is ever sent to them: that a
/// proxy may have something was decided when its servers were made, and clusters only name Secrets beside the proxy.
final class IngressSecrets {
    /// A certificate that a group needs.
    ///
    /// @param resource its name as servers and clusters write it
    /// @param user the object that is told when it cannot be had; empty when that is said elsewhere
    private record Wanted(String cluster, String resource, SecretName name, Optional<ManifestId> user) {
        List<ManifestId> objects() {
            return name.objects(cluster);
        }
    }

    private final Table<ObjectKey, CredentialManifest> credentials;
    private final Table<ObjectKey, CaBundleManifest> bundles;
    private final IngressEntrances entrances;
    private final Groups groups;
    private final MeshServices services;
    private final Rulebook rulebook;
    private final Table<ResourceKey, Message> table;
    private final Table<ManifestId, ManifestId> objects;
    private final Table<ProblemKey, ObjectProblem> problems;

    /// @param uses the clusters that proxies have
    IngressSecrets(
            MeshFlow mesh,
            Groups groups,
            IngressEntrances entrances,
            MeshServices services,
            Rulebook rulebook,
            Table<ResourceKey, ClusterUse> uses) {
        this.credentials = mesh.manifests(CredentialManifest.class);
        this.bundles = mesh.manifests(CaBundleManifest.class);
        this.entrances = entrances;
        this.groups = groups;
        this.services = services;
        this.rulebook = rulebook;
        var flow = mesh.flow();
        Table<ResourceKey, Wanted> wanted = flow.join(
                "envoy/secrets-wanted",
                List.of(
                        flow.deriveMany("envoy/secrets-of-servers", groups.table(), this::ofServers),
                        flow.deriveMany("envoy/secrets-of-clusters", uses, this::ofCluster)));
        table = flow.derive("envoy/secrets", wanted, this::secret);
        objects = flow.deriveMany("envoy/secret-objects", wanted, (_, own) -> byItself(own.objects()));
        problems = flow.deriveMany("envoy/secret-problems", wanted, this::problems);
    }

    Table<ResourceKey, Message> table() {
        return table;
    }

    /// The Secrets and ConfigMaps that somebody has to bring, each under its own key.
    Table<ManifestId, ManifestId> objects() {
        return objects;
    }

    /// What cannot be had, by the object that wants it.
    Table<ProblemKey, ObjectProblem> problems() {
        return problems;
    }

    private Map<ResourceKey, Wanted> ofServers(Fetch<ObjectKey> fetch, Group group) {
        var result = new LinkedHashMap<ResourceKey, Wanted>();
        if (group.proxies().role() == ProxyRole.INGRESS) {
            entrances.clientCertificate(fetch, group).ifPresent(name -> want(group, name, Optional.empty(), result));
            for (var server : entrances.servers(fetch, group)) {
                // The status of a Gateway of the Gateway API says it itself.
                var user = Optional.of(server.owner()).filter(_ -> server.origin() == ServerOrigin.ISTIO);
                IngressListeners.secrets(server).forEach(name -> want(group, name, user, result));
            }
        }
        return result;
    }

    private Map<ResourceKey, Wanted> ofCluster(Fetch<ResourceKey> fetch, ClusterUse use) {
        var result = new LinkedHashMap<ResourceKey, Wanted>();
        var group = fetch.one(groups.table(), use.group())
                .filter(own -> own.proxies().role() == ProxyRole.INGRESS);
        var service = fetch.one(services.table(), use.service());
        if (group.isPresent() && service.isPresent()) {
            var traffic = rulebook.traffic(fetch, group.get().proxies(), service.get());
            var user = traffic.rule().map(rule -> new ManifestId(DestinationRuleManifest.class, rule.source()));
            traffic.policy(use.port(), use.subset()).tls().stream()
                    .flatMap(tls -> UpstreamCredentials.of(tls).stream())
                    .forEach(name -> want(group.get(), name, user, result));
        }
        return result;
    }

    private static void want(Group group, String name, Optional<ManifestId> user, Map<ResourceKey, Wanted> result) {
        SecretName.parse(name, group.proxies().namespace())
                .ifPresent(secret -> result.putIfAbsent(
                        new ResourceKey(group.key(), XdsType.SECRET, name),
                        new Wanted(group.key().cluster(), name, secret, user)));
    }

    private static Map<ManifestId, ManifestId> byItself(List<ManifestId> objects) {
        var result = new LinkedHashMap<ManifestId, ManifestId>();
        objects.forEach(object -> result.put(object, object));
        return result;
    }

    private Optional<Message> secret(Fetch<ResourceKey> fetch, Wanted wanted) {
        return outcome(fetch, wanted).flatMap(outcome -> switch (outcome) {
            case SecretLookup.Found(var secret) -> Optional.of(secret);
            case SecretLookup.Bad _ -> Optional.empty();
        });
    }

    private Optional<SecretLookup> outcome(Fetch<ResourceKey> fetch, Wanted wanted) {
        return wanted.objects().stream()
                .flatMap(object -> find(fetch, object).stream())
                .findFirst()
                .map(object -> SecretResources.of(wanted.resource(), wanted.name(), object));
    }

    private Map<ProblemKey, ObjectProblem> problems(Fetch<ResourceKey> fetch, Wanted wanted) {
        if (wanted.user().isEmpty()) {
            return Map.of();
        }
        return ObjectProblem.rows(problem(fetch, wanted).stream()
                .map(problem -> ObjectProblem.error(wanted.user().get(), "", problem))
                .toList());
    }

    private Optional<Problem> problem(Fetch<ResourceKey> fetch, Wanted wanted) {
        return outcome(fetch, wanted)
                .map(outcome -> switch (outcome) {
                    case SecretLookup.Found _ -> Optional.<Problem>empty();
                    case SecretLookup.Bad(var problem) -> Optional.of(problem);
                })
                .orElseGet(() -> Optional.of(missing(wanted.name())));
    }

    private static Problem missing(SecretName name) {
        return Problem.ofInput(
                "credential-missing",
                "there is no Secret %s/%s, and nothing passes without it".formatted(name.namespace(), name.name()),
                "create it in the namespace of the gateway's pods, or correct credentialName");
    }

    private Optional<? extends Manifest> find(Fetch<ResourceKey> fetch, ManifestId object) {
        return object.kind() == CredentialManifest.class
                ? fetch.one(credentials, object.key())
                : fetch.one(bundles, object.key());
    }
}
