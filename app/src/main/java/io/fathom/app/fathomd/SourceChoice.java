package io.fathom.app.fathomd;

import io.fathom.app.settings.Settings;
import io.fathom.wire.kube.api.KubeConfig;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// Folders of manifests if some are named; else the API server of a kubeconfig file; else that of the pod we run in.
final class SourceChoice {
    private SourceChoice() {}

    /// Empty when objects come from folders, or from nowhere.
    ///
    /// @param account the folder where Kubernetes puts the credentials of a pod
    static Optional<KubeConfig> kube(Settings settings, Path account) {
        if (!settings.words(FathomdSetting.MANIFESTS).isEmpty()) {
            return Optional.empty(); // people often have KUBECONFIG set for other tools
        }
        var files = settings.text(FathomdSetting.KUBECONFIG);
        if (!files.isEmpty()) {
            return Optional.of(KubeConfig.fromFile(first(files)));
        }
        var inPod = !settings.environment()
                        .getOrDefault("KUBERNETES_SERVICE_HOST", "")
                        .isEmpty()
                && Files.exists(account.resolve("token"));
        return inPod ? Optional.of(KubeConfig.inCluster(settings.environment(), account)) : Optional.empty();
    }

    /// Of a list, as `KUBECONFIG` may be one, the first file that is there.
    private static Path first(String files) {
        var paths = Arrays.stream(files.split(File.pathSeparator, -1))
                .filter(file -> !file.isEmpty())
                .map(Path::of)
                .toList();
        return paths.stream().filter(Files::exists).findFirst().orElse(paths.getFirst());
    }
}
