// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.wire.kube.folder.ObjectFiles;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.trust.TrustBundleManifest;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A folder with a file for each Gateway, and for the roots of each other cluster.
public final class FolderOutput implements GatewayOutput {
    private static final String KIND = "Gateway";
    private static final String BUNDLE_KIND = "ConfigMap";

    private final ObjectFiles files;

    /// Makes the folder if there is none.
    public FolderOutput(Path folder) {
        this.files = ObjectFiles.in(folder);
    }

    /// Those of the folder itself, and those that people keep elsewhere.
    @Override
    public List<ExistingGateway> existing(Collection<GatewayManifest> manifests) {
        Map<String, ExistingGateway> found = new LinkedHashMap<>();
        for (var manifest : manifests) {
            var gateway = ExistingGateway.of(manifest.namespace(), manifest.name(), manifest.labels());
            if (manifest.className().equals(PeerManifest.CLASS) && !gateway.isOurs()) {
                found.put(manifest.key().path(), gateway);
            }
        }
        for (var name : files.names(KIND)) {
            files.read(name).ifPresent(text -> {
                var labels = Field.root(Json.parse(name.name(), text))
                        .at("metadata")
                        .at("labels")
                        .textMap();
                var gateway = ExistingGateway.of(name.namespace(), name.name(), labels);
                found.putIfAbsent(name.namespace() + "/" + name.name() + gateway.isOurs(), gateway);
            });
        }
        return List.copyOf(found.values());
    }

    @Override
    public boolean put(PeerManifest gateway) {
        var wanted = Json.of(gateway.content());
        var before = files.read(name(gateway.namespace(), gateway.name()))
                .map(text -> Json.pretty(Json.parse(gateway.name(), text)));
        if (before.isPresent() && before.get().equals(Json.pretty(wanted))) {
            return false;
        }
        var _ = files.put(Json.pretty(wanted));
        return true;
    }

    @Override
    public void remove(ExistingGateway gateway) {
        var _ = files.delete(name(gateway.namespace(), gateway.name()));
    }

    /// Those of the folder itself, and those that people keep elsewhere.
    @Override
    public List<ExistingTrust> trusts(String namespace, Collection<TrustBundleManifest> manifests) {
        Map<String, ExistingTrust> found = new LinkedHashMap<>();
        for (var name : files.names(BUNDLE_KIND)) {
            files.read(name).map(text -> Json.parse(name.name(), text)).ifPresent(object -> {
                if (name.namespace().equals(namespace)) {
                    found.put(name.name(), ExistingTrust.of(object));
                }
            });
        }
        for (var manifest : manifests) {
            found.putIfAbsent(
                    manifest.name(),
                    new ExistingTrust(
                            manifest.namespace(),
                            manifest.name(),
                            manifest.trust().cluster(),
                            Optional.empty(),
                            Optional.of(manifest.trust())));
        }
        return List.copyOf(found.values());
    }

    @Override
    public void put(TrustManifest bundle) {
        var _ = files.put(Json.compact(bundle.content()));
    }

    @Override
    public void remove(ExistingTrust bundle) {
        var _ = files.delete(new ObjectName(BUNDLE_KIND, bundle.namespace(), bundle.name()));
    }

    private static ObjectName name(String namespace, String name) {
        return new ObjectName(KIND, namespace, name);
    }
}
