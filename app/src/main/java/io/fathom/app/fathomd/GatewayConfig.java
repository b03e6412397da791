// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.BuildInfo;
import io.fathom.app.settings.Settings;
import io.fathom.control.deploy.DeploySettings;
import io.fathom.control.deploy.GatewayController.Duty;
import io.fathom.control.order.Patience;
import java.util.EnumSet;
import java.util.Set;

/// What is done for Gateways in a cluster.
///
/// @param duties those that we compete for
/// @param self whether our cluster is described
/// @param image of deployed proxies
/// @param patience with proxies of waypoints that do not answer, not only in a cluster
public record GatewayConfig(
        Set<Duty> duties,
        SelfDescribing self,
        String image,
        String pullPolicy,
        String logLevel,
        Set<DeploySettings.Option> options,
        Patience patience) {
    /// Whether we keep a Gateway that stands for our own cluster.
    public enum SelfDescribing {
        ON,
        OFF
    }

    public GatewayConfig {
        duties = Set.copyOf(duties);
        options = Set.copyOf(options);
    }

    static GatewayConfig of(Settings settings) {
        var duties = EnumSet.noneOf(Duty.class);
        var options = EnumSet.noneOf(DeploySettings.Option.class);
        if (settings.on(FathomdSetting.DEPLOY_GATEWAYS)) {
            duties.add(Duty.DEPLOY);
        }
        if (settings.on(FathomdSetting.GATEWAY_STATUS)) {
            duties.add(Duty.REPORT);
        }
        if (settings.on(FathomdSetting.GATEWAY_CLASSES)) {
            options.add(DeploySettings.Option.CLASSES);
        }
        switch (settings.keyExchange(FathomdSetting.COMPLIANCE_POLICY)) {
            case POST_QUANTUM -> {
                options.add(DeploySettings.Option.POST_QUANTUM_TLS);
                options.add(DeploySettings.Option.ALWAYS_COMPANIONS); // Envoy alone cannot be told how to reach us
            }
            case FIPS_140_2 -> options.add(DeploySettings.Option.FIPS_TLS);
            case ANY -> {}
        }
        var image = settings.text(FathomdSetting.PROXY_IMAGE);
        return new GatewayConfig(
                duties,
                settings.on(FathomdSetting.SELF_DESCRIPTION) ? SelfDescribing.ON : SelfDescribing.OFF,
                image.isEmpty() ? "localhost/proxy:" + BuildInfo.current().version() : image,
                settings.text(FathomdSetting.PROXY_PULL_POLICY),
                settings.text(FathomdSetting.PROXY_LOG_LEVEL),
                options,
                Patience.DEFAULT
                        .withAnswer(settings.time(FathomdSetting.WAYPOINT_PATIENCE))
                        .withDrain(settings.time(FathomdSetting.WAYPOINT_DRAIN)));
    }
}
