// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import io.fathom.wire.kube.api.KubeConfig;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/// What to install, and where. All paths as the agent sees them, most of them below where the host is mounted.
///
/// @param source the folder with the plugin's files
/// @param binFolder where runtimes look for plugins
/// @param netFolder where runtimes look for network configurations
/// @param kubeconfig the file that the plugin reads
/// @param account the folder of the agent's service account, whose token the plugin gets
/// @param server the API server, as the host reaches it
/// @param authority the CA of the API server, if it is not the account's; not looked at with [ServerTrust#ANYBODY]
/// @param chosen the network configuration to join, if it is not to be the first one
public record InstallConfig(
        Path source,
        Path binFolder,
        Path netFolder,
        Path kubeconfig,
        Path account,
        URI server,
        Optional<Path> authority,
        ServerTrust serverTrust,
        Joining joining,
        Optional<String> chosen,
        FileModes modes,
        PluginEntry entry) {
    /// Whom the plugin takes for the API server.
    public enum ServerTrust {
        AUTHORITY,
        ANYBODY
    }

    /// How the plugin becomes part of a network.
    public sealed interface Joining {
        /// As the last entry of the network that is there.
        record Chained() implements Joining {}

        /// As the last entry of a copy of it, in a file that comes first. The other stays as it is.
        record Owned(String fileName) implements Joining {}

        /// As a file of its own.
        record Alone(String fileName) implements Joining {}
    }

    /// Permissions of files that are new, such as `rw-------`.
    public record FileModes(String kubeconfig, String network) {}

    /// The file name that upstream uses for [Joining.Alone].
    public static final String ALONE_FILE = "YYY-istio-cni.conf";

    /// The file name that upstream uses for [Joining.Owned].
    public static final String OWNED_FILE = "02-istio-cni.conflist";

    /// The name of the kubeconfig in the agent's run folder.
    public static final String KUBECONFIG_FILE = "istio-cni-kubeconfig";

    public InstallConfig {
        KubeConfig.plain(server); // must be an address
    }
}
