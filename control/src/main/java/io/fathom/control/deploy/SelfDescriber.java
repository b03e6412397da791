// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.base.work.WorkQueue;
import io.fathom.base.work.WorkQueue.WorkResult;
import io.fathom.base.work.WorkSettings;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.deploy.SelfDescription.OwnNames;
import io.fathom.control.status.LeaderTask;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the [SelfDescription] of our cluster in the cluster, while we lead: writes it when the east-west gateway has
/// an address, follows that, and takes it away with the gateway. A Gateway of that name that is somebody else's stays.
public final class SelfDescriber implements LeaderTask {
    private static final Logger log = LoggerFactory.getLogger(SelfDescriber.class);
    private static final KubeResource GATEWAYS = KubeResource.of(GatewayManifest.class);
    private static final String FLEET = "fathom-fleet";
    private static final String ALL = "self";
    private static final WorkSettings WORK = new WorkSettings(
            1,
            Duration.ofMillis(200),
            Duration.ofSeconds(30),
            WorkSettings.FOR_EVER,
            Optional.of(new WorkSettings.Rate(5, 5)),
            Duration.ofSeconds(5));

    private final KubeClient client;
    private final AmbientMesh mesh;
    private final String cluster;
    private final Timeline timeline;

    public SelfDescriber(KubeClient client, AmbientMesh mesh, String cluster, Timeline timeline) {
        this.client = client;
        this.mesh = mesh;
        this.cluster = cluster;
        this.timeline = timeline;
    }

    @Override
    public AutoCloseable begin() {
        var term = new Parts();
        var work = term.keep(
                new WorkQueue<String>(WORK, timeline, _ -> look(), SelfDescriber::failed).start("self-description"));
        term.keep(mesh.subscribe(commit -> {
            if (!commit.changes(mesh.eastWestGateways()).isEmpty()
                    || !commit.changes(mesh.selfDescriptions()).isEmpty()) {
                work.add(ALL);
            }
        }));
        work.add(ALL);
        return term;
    }

    private WorkResult look() {
        var wanted = SelfDescription.of(
                new OwnNames(cluster, mesh.network(), mesh.trustDomains().getFirst()), gateways());
        for (var there : descriptions()) {
            var isWanted = wanted.filter(it -> it.namespace().equals(there.namespace())
                            && it.name().equals(there.name()))
                    .isPresent();
            if (!isWanted && SelfDescription.isOurs(there)) {
                client.delete(GATEWAYS, there.namespace(), there.name());
                log.atInfo().addKeyValue("gateway", there.key().path()).log("description of our cluster withdrawn");
            }
        }
        wanted.filter(this::isMissing).ifPresent(it -> {
            var _ = client.apply(GATEWAYS, it.namespace(), it.name(), it.tree(), SelfDescription.MANAGER);
            log.atInfo()
                    .addKeyValue("gateway", it.namespace() + "/" + it.name())
                    .log("our cluster described");
        });
        return WorkResult.DONE;
    }

    /// What an agent has written before is taken over; what a person wrote is left alone.
    private boolean isMissing(SelfDescription wanted) {
        var there = descriptions().stream()
                .filter(gateway -> gateway.namespace().equals(wanted.namespace())
                        && gateway.name().equals(wanted.name()))
                .findFirst();
        if (there.isEmpty()) {
            return true;
        }
        var manager = there.get().labels().getOrDefault(SelfDescription.MANAGED_BY, "");
        return (manager.equals(SelfDescription.MANAGER) || manager.equals(FLEET)) && !wanted.isAs(there.get());
    }

    private List<GatewayManifest> gateways() {
        var all = new ArrayList<GatewayManifest>();
        mesh.cut().of(mesh.eastWestGateways()).forEach((ObjectKey _, GatewayManifest gateway) -> all.add(gateway));
        return all;
    }

    private List<GatewayManifest> descriptions() {
        var all = new ArrayList<GatewayManifest>();
        mesh.cut().of(mesh.selfDescriptions()).forEach((ObjectKey _, GatewayManifest gateway) -> all.add(gateway));
        return all;
    }

    private static void failed(String key, WorkQueue.Failure failure) {
        if (failure.isNew()) {
            log.atWarn()
                    .addKeyValue("code", failure.problem().code())
                    .addKeyValue("problem", failure.problem())
                    .log("our cluster could not be described");
        }
    }
}
