// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cahelper;

import io.fathom.app.settings.ApiServer;
import io.fathom.app.settings.Settings;
import io.fathom.control.ca.helper.HelperConfig.Foreign;
import io.fathom.control.ca.vault.VaultConfig;
import io.fathom.control.ca.vault.VaultSettings;
import io.fathom.model.mesh.Ip;
import io.fathom.tools.args.Arguments;
import io.fathom.wire.kube.api.KubeConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.event.Level;

/// What the helper was told.
///
/// @param folder where the certificates are kept; empty for the Secret
/// @param kube the API server that has the Secret; empty if there is a folder
record CaHelperConfig(
        VaultConfig vault,
        Optional<Path> folder,
        Optional<KubeConfig> kube,
        String namespace,
        Foreign foreign,
        Ip listenAddress,
        int httpPort,
        String logLevel) {
    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    /// Throws a [io.fathom.base.lang.ProblemException] that names the flag or variable and what to write instead.
    static CaHelperConfig of(Arguments parsed, Map<String, String> environment) {
        var settings = Settings.of(List.of(CaHelperSetting.values()), parsed, environment);
        var folder = Optional.of(settings.text(CaHelperSetting.FOLDER))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
        var kube = folder.isPresent()
                ? Optional.<KubeConfig>empty()
                : ApiServer.of(settings, CaHelperSetting.KUBECONFIG, ACCOUNT);
        if (folder.isEmpty() && kube.isEmpty()) {
            throw settings.bad(
                    CaHelperSetting.FOLDER,
                    "",
                    "name a folder: fathomd ca-helper --folder DIR, or an API server: fathomd ca-helper --kubeconfig FILE");
        }
        return new CaHelperConfig(
                VaultSettings.parse(environment, settings.text(CaHelperSetting.TRUST_DOMAIN)),
                folder,
                kube,
                settings.text(CaHelperSetting.NAMESPACE),
                settings.on(CaHelperSetting.TAKE_OVER) ? Foreign.REPLACED : Foreign.REFUSED,
                Ip.parse(settings.text(CaHelperSetting.LISTEN_ADDRESS))
                        .orElseThrow(() -> settings.bad(
                                CaHelperSetting.LISTEN_ADDRESS, "is not an address", "give one like 127.0.0.1")),
                settings.port(CaHelperSetting.HTTP_PORT),
                settings.choice(CaHelperSetting.LOG_LEVEL, Level.class).name());
    }
}
