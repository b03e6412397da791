// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.settings.ApiServer;
import io.fathom.app.settings.Settings;
import io.fathom.wire.kube.api.KubeConfig;
import java.nio.file.Path;
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
        return ApiServer.of(settings, FathomdSetting.KUBECONFIG, account);
    }
}
