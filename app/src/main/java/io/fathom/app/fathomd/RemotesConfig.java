// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Which other clusters belong to the mesh, and how they are read.
///
/// @param folders of manifests, by cluster
/// @param kubeconfigs a folder of them
/// @param patience how long a start waits for a cluster
/// @param secrets whether Secrets of our own cluster may name others
/// @param insecureOptions what kubeconfigs may use besides tokens and certificates inside them
public record RemotesConfig(
        Map<String, Path> folders,
        Optional<Path> kubeconfigs,
        Duration patience,
        SecretsUse secrets,
        Set<String> insecureOptions) {
    /// What becomes of Secrets with kubeconfigs.
    public enum SecretsUse {
        FOLLOWED,
        IGNORED
    }

    public RemotesConfig {
        folders = Collections.unmodifiableMap(new LinkedHashMap<>(folders));
        insecureOptions = Set.copyOf(insecureOptions);
    }

    static RemotesConfig of(Settings settings) {
        var kubeconfigs = settings.text(FathomdSetting.REMOTE_KUBECONFIGS);
        return new RemotesConfig(
                folders(settings),
                kubeconfigs.isEmpty()
                        ? Optional.empty()
                        : Optional.of(FathomdConfig.path(
                                settings, FathomdSetting.REMOTE_KUBECONFIGS, kubeconfigs, "name a folder")),
                settings.time(FathomdSetting.REMOTE_TIMEOUT),
                settings.on(FathomdSetting.NO_REMOTE_SECRETS) ? SecretsUse.IGNORED : SecretsUse.FOLLOWED,
                Set.copyOf(settings.words(FathomdSetting.INSECURE_KUBECONFIGS)));
    }

    /// Whether there is no doubt that other clusters are meant.
    boolean areNamed() {
        return !folders.isEmpty() || kubeconfigs.isPresent();
    }

    private static Map<String, Path> folders(Settings settings) {
        var setting = FathomdSetting.REMOTE_MANIFESTS;
        var fix = "write the name of the cluster and its folder: --remote-manifests east=DIR";
        var own = settings.text(FathomdSetting.CLUSTER_ID);
        var folders = new LinkedHashMap<String, Path>();
        for (var word : settings.words(setting)) {
            var equals = word.indexOf('=');
            if (equals <= 0 || equals == word.length() - 1) {
                throw settings.bad(setting, "is not CLUSTER=DIR", fix);
            }
            var cluster = word.substring(0, equals);
            if (cluster.contains("/") || cluster.chars().anyMatch(Character::isWhitespace)) {
                throw settings.bad(setting, "has a cluster \"" + cluster + "\", which is no name", fix);
            }
            if (cluster.equals(own)) {
                throw settings.bad(
                        setting,
                        "names our own cluster, " + cluster,
                        "give the other cluster another name, or ours with --cluster-id");
            }
            var path = FathomdConfig.path(settings, setting, word.substring(equals + 1), fix);
            if (!Files.isDirectory(path)) {
                throw settings.bad(
                        setting,
                        "names " + path + ", which " + (Files.exists(path) ? "is not a folder" : "does not exist"),
                        fix);
            }
            if (folders.put(cluster, path) != null) {
                throw settings.bad(setting, "names cluster " + cluster + " twice", "name each cluster once");
            }
        }
        return folders;
    }
}
