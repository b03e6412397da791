// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.settings.Settings;
import io.fathom.control.ca.kube.SecretRootStore.RootSecret;
import io.fathom.control.status.NodeUntainter;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/// What one of several control planes of a cluster needs to know. Of little use where manifests come from folders.
///
/// @param webhookPort HTTPS, for the API server
/// @param healthPort for probes, as upstream has one; the other HTTP port answers them too
/// @param drain how long to go on serving after we are told to stop, while others learn that we do
/// @param rootSecret where a self-signed root is kept
/// @param untaint which nodes to take the taint off; empty for none
/// @param debugNamespaces whose clients may see the debug pages, besides those of the system namespace
public record ReplicaConfig(
        int webhookPort,
        int healthPort,
        Duration drain,
        RootSecret rootSecret,
        Optional<NodeUntainter.AgentTaint> untaint,
        Set<String> debugNamespaces) {
    public ReplicaConfig {
        debugNamespaces = Set.copyOf(debugNamespaces);
    }

    static ReplicaConfig of(Settings settings) {
        var inPod = !settings.text(FathomdSetting.POD_NAME).isEmpty();
        return new ReplicaConfig(
                settings.port(FathomdSetting.WEBHOOK_PORT),
                settings.port(FathomdSetting.HEALTH_PORT),
                inPod ? settings.time(FathomdSetting.DRAIN_TIME) : Duration.ZERO,
                settings.on(FathomdSetting.ROOT_IN_CACERTS) ? RootSecret.CACERTS : RootSecret.ISTIO_CA_SECRET,
                settings.on(FathomdSetting.UNTAINT_NODES) ? Optional.of(untaint(settings)) : Optional.empty(),
                Set.copyOf(settings.words(FathomdSetting.DEBUG_NAMESPACES)));
    }

    private static NodeUntainter.AgentTaint untaint(Settings settings) {
        var namespace = settings.text(FathomdSetting.CNI_NAMESPACE);
        return new NodeUntainter.AgentTaint(
                namespace.isEmpty() ? settings.text(FathomdSetting.SYSTEM_NAMESPACE) : namespace,
                settings.text(FathomdSetting.TAINT));
    }
}
