// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.work.Parts;
import io.fathom.control.deploy.DeploySettings;
import io.fathom.control.deploy.GatewayController;
import io.fathom.control.deploy.GatewayController.Duty;
import io.fathom.control.deploy.SelfDescriber;
import io.fathom.control.status.ElectionLock;
import io.fathom.control.status.RouteWriter;

/// Deploys gateways, and writes their status and that of routes, while we lead.
final class GatewayPart implements ClusterPart {
    private final ClusterLink link;
    private final Parts parts = new Parts();
    private final SystemTimeline timeline = parts.keep(new SystemTimeline());
    private final GatewayController controller;

    GatewayPart(ClusterLink link) {
        this.link = link;
        var config = link.config();
        var settings = new DeploySettings(
                config.revision(),
                config.systemNamespace(),
                config.mesh().domain(),
                config.clusterId(),
                config.mesh().network(),
                config.gateways().image(),
                config.gateways().pullPolicy(),
                config.gateways().logLevel(),
                config.gateways().options());
        this.controller = parts.keep(
                new GatewayController(link.client(), settings, link.tags(), link.mesh(), link.gateways(), timeline));
    }

    @Override
    public void start() {
        var duties = link.config().gateways().duties();
        if (duties.contains(Duty.DEPLOY)) {
            parts.keep(link.compete(ElectionLock.GATEWAY_DEPLOYMENT, timeline, () -> controller.begin(Duty.DEPLOY)));
        }
        if (link.config().gateways().self() == GatewayConfig.SelfDescribing.ON) {
            parts.keep(link.compete(
                    ElectionLock.SELF_DESCRIPTION,
                    timeline,
                    new SelfDescriber(link.client(), link.mesh(), link.config().clusterId(), timeline)));
        }
        var routes = new RouteWriter(link.desk(timeline));
        parts.keep(link.compete(ElectionLock.GATEWAY_STATUS, timeline, () -> {
            var term = new Parts();
            term.keep(routes.begin());
            if (duties.contains(Duty.REPORT)) {
                term.keep(controller.begin(Duty.REPORT));
            }
            return term;
        }));
    }

    @Override
    public void close() {
        parts.close();
    }
}
