// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.settings.ApiServer;
import io.fathom.app.settings.Settings;
import io.fathom.fleet.server.ClusterStore;
import io.fathom.fleet.server.FactCache;
import io.fathom.fleet.server.FleetStore;
import io.fathom.fleet.server.FolderStore;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Where a management server keeps what outlives it, as its settings say.
final class StoreChoice {
    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
    private static final String NAMESPACE = "fathom-fleet";

    private StoreChoice() {}

    static FleetStore open(Settings settings) {
        var folder = settings.text(FleetSetting.STATE_DIR);
        var kind = settings.text(FleetSetting.STORE);
        return switch (kind.isEmpty() ? folder.isEmpty() ? "kubernetes" : "folder" : kind) {
            case "folder" -> {
                if (folder.isEmpty()) {
                    throw settings.bad(
                            FleetSetting.STATE_DIR, "", "name a folder that outlives the program: --state-dir DIR");
                }
                yield FolderStore.open(Path.of(folder));
            }
            case "kubernetes" -> {
                if (!folder.isEmpty()) {
                    throw settings.bad(
                            FleetSetting.STATE_DIR, "is not used with --store kubernetes", "leave one of them out");
                }
                yield ClusterStore.open(client(settings), namespace(settings));
            }
            default ->
                throw settings.bad(
                        FleetSetting.STORE, "is no kind of store", "give folder or kubernetes: --store KIND");
        };
    }

    /// Where a server keeps what it could learn again.
    static Optional<FactCache> cache(Settings settings) {
        var named = settings.text(FleetSetting.CACHE_DIR);
        if (named.equals("none")) {
            return Optional.empty();
        }
        var state = settings.text(FleetSetting.STATE_DIR);
        if (!named.isEmpty()) {
            return Optional.of(FactCache.in(Path.of(named)));
        }
        return state.isEmpty() ? Optional.empty() : Optional.of(FactCache.in(Path.of(state, "services")));
    }

    private static KubeClient client(Settings settings) {
        var server = ApiServer.of(settings, FleetSetting.KUBECONFIG, ACCOUNT)
                .orElseThrow(
                        () -> settings.bad(
                                FleetSetting.STATE_DIR,
                                "",
                                "name a folder that outlives the program: --state-dir DIR, or an API server: --kubeconfig FILE"));
        return new KubeClient(server, KubeSettings.DEFAULT);
    }

    private static String namespace(Settings settings) {
        var named = settings.text(FleetSetting.NAMESPACE);
        if (!named.isEmpty()) {
            return named;
        }
        try {
            var file = ACCOUNT.resolve("namespace");
            return Files.exists(file) ? Files.readString(file).strip() : NAMESPACE;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
