// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.settings;

import io.fathom.wire.kube.api.KubeConfig;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// The API server that a program is to talk to: that of a kubeconfig file, or that of the pod it runs in.
public final class ApiServer {
    private ApiServer() {}

    /// Empty when there is neither.
    ///
    /// @param account the folder where Kubernetes puts the credentials of a pod
    public static Optional<KubeConfig> of(Settings settings, Setting kubeconfig, Path account) {
        var files = settings.text(kubeconfig);
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
