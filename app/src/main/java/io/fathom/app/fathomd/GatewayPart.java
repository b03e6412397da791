package io.fathom.app.fathomd;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.control.deploy.DeploySettings;
import io.fathom.control.deploy.GatewayController;
import io.fathom.control.deploy.GatewayController.Duty;
import io.fathom.control.gateway.ListenerKey;
import io.fathom.control.status.ElectionLock;
import io.fathom.control.status.Leadership;
import io.fathom.wire.kube.ObjectKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deploys gateways and writes their status, while we lead.
final class GatewayPart implements ClusterPart {
    private static final Logger log = LoggerFactory.getLogger(GatewayPart.class);

    private final ClusterLink link;
    private final SystemTimeline timeline = new SystemTimeline();
    private final GatewayController controller;
    private final Deque<AutoCloseable> running = new ArrayDeque<>();

    GatewayPart(ClusterLink link) {
        this.link = link;
        var config = link.config();
        var settings = new DeploySettings(
                config.revision(),
                config.systemNamespace(),
                config.domain(),
                config.clusterId(),
                config.network(),
                config.gateways().image(),
                config.gateways().pullPolicy(),
                config.gateways().logLevel(),
                config.gateways().options());
        this.controller =
                new GatewayController(link.client(), settings, this::trustDomain, this::attachedRoutes, timeline);
    }

    private int attachedRoutes(String namespace, String gateway, String listener) {
        var key = new ListenerKey(new ObjectKey(link.config().clusterId(), namespace, gateway), listener);
        var count = link.mesh().cut().of(link.mesh().attachedRoutes()).get(key);
        return count == null ? 0 : count;
    }

    private String trustDomain() {
        return link.mesh().trustDomains().getFirst();
    }

    @Override
    public void start() {
        var known = new AtomicReference<>(trustDomain());
        running.push(link.mesh().subscribe(commit -> {
            for (var change : commit.changes(link.mesh().attachedRoutes())) {
                var gateway = change.key().gateway();
                controller.refresh(gateway.namespace(), gateway.name());
            }
            var now = trustDomain();
            if (!now.equals(known.getAndSet(now))) {
                controller.refresh();
            }
        }));
        for (var duty : link.config().gateways().duties()) {
            var lock = duty == Duty.DEPLOY ? ElectionLock.GATEWAY_DEPLOYMENT : ElectionLock.GATEWAY_STATUS;
            running.push(
                    Leadership.start(link.client(), lock, link.candidate(), timeline, () -> controller.begin(duty)));
        }
    }

    @Override
    public void close() {
        for (var part = running.poll(); part != null; part = running.poll()) {
            try {
                part.close();
            } catch (Exception e) {
                log.atWarn().setCause(e).log("did not stop cleanly"); // the others have to stop all the same
            }
        }
        timeline.close();
    }
}
