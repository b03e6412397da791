// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

/// Who counts what an installation does. Called on its thread; must not block.
public interface InstallObserver {
    /// How a pass ended; the names are those of upstream's metric `istio_cni_installs_total`.
    enum InstallResult {
        SUCCESS,
        COPY_BINARIES_FAILURE,
        CREATE_KUBECONFIG_FAILURE,
        CREATE_CNI_CONFIG_FAILURE
    }

    void installed(InstallResult result);

    /// Everything is as it should be, and is watched.
    void ready();

    /// Something is not, and is being mended.
    void notReady();
}
