package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.ingress.IngressListeners;
import io.fathom.control.envoy.sds.SecretName;
import io.fathom.control.envoy.sds.SecretResources;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.wire.kube.CaBundleManifest;
import io.fathom.wire.kube.CredentialManifest;
import io.fathom.wire.kube.Manifest;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.xds.XdsType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The certificates that the servers of ingress proxies name, and the one for backends. Nothing else is ever sent to
/// them: that a proxy may have
/// something was decided when its servers were made.
final class IngressSecrets {
    /// A certificate that a group needs.
    ///
    /// @param resource its name as the servers write it
    private record Wanted(String cluster, String resource, SecretName name) {
        List<ManifestId> objects() {
            return name.objects(cluster);
        }
    }

    private final Table<ObjectKey, CredentialManifest> credentials;
    private final Table<ObjectKey, CaBundleManifest> bundles;
    private final IngressEntrances entrances;
    private final Table<ResourceKey, Message> table;
    private final Table<ManifestId, ManifestId> objects;

    IngressSecrets(MeshFlow mesh, Groups groups, IngressEntrances entrances) {
        this.credentials = mesh.manifests(CredentialManifest.class);
        this.bundles = mesh.manifests(CaBundleManifest.class);
        this.entrances = entrances;
        var flow = mesh.flow();
        Table<ResourceKey, Wanted> wanted = flow.deriveMany("envoy/secrets-wanted", groups.table(), this::wanted);
        table = flow.derive("envoy/secrets", wanted, this::secret);
        objects = flow.deriveMany("envoy/secret-objects", wanted, (_, own) -> byItself(own.objects()));
    }

    Table<ResourceKey, Message> table() {
        return table;
    }

    /// The Secrets and ConfigMaps that somebody has to bring, each under its own key.
    Table<ManifestId, ManifestId> objects() {
        return objects;
    }

    private Map<ResourceKey, Wanted> wanted(Fetch<ObjectKey> fetch, Group group) {
        var result = new LinkedHashMap<ResourceKey, Wanted>();
        if (group.proxies().role() == ProxyRole.INGRESS) {
            entrances.clientCertificate(fetch, group).ifPresent(name -> want(group, name, result));
            for (var server : entrances.servers(fetch, group)) {
                IngressListeners.secrets(server).forEach(name -> want(group, name, result));
            }
        }
        return result;
    }

    private static void want(Group group, String name, Map<ResourceKey, Wanted> wanted) {
        SecretName.parse(name, group.proxies().namespace())
                .ifPresent(secret -> wanted.put(
                        new ResourceKey(group.key(), XdsType.SECRET, name),
                        new Wanted(group.key().cluster(), name, secret)));
    }

    private static Map<ManifestId, ManifestId> byItself(List<ManifestId> objects) {
        var result = new LinkedHashMap<ManifestId, ManifestId>();
        objects.forEach(object -> result.put(object, object));
        return result;
    }

    private Optional<Message> secret(Fetch<ResourceKey> fetch, Wanted wanted) {
        return wanted.objects().stream()
                .flatMap(object -> find(fetch, object).stream())
                .findFirst()
                .flatMap(object -> switch (SecretResources.of(wanted.resource(), wanted.name(), object)) {
                    case SecretResources.Outcome.Found(var secret) -> Optional.of(secret);
                    case SecretResources.Outcome.Bad _ -> Optional.empty(); // the Gateway's status says why
                });
    }

    private Optional<? extends Manifest> find(Fetch<ResourceKey> fetch, ManifestId object) {
        return object.kind() == CredentialManifest.class
                ? fetch.one(credentials, object.key())
                : fetch.one(bundles, object.key());
    }
}
