// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.fathomd.http.ControlMetrics;
import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.base.flow.Cut;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.envoy.EnvoyMesh;
import io.fathom.control.order.WaypointOrder;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.workload.AddressCodec;
import io.fathom.wire.workload.AuthorizationCodec;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// Hands each step of the mesh to the streams of node proxies as one batch, every changed resource encoded once. What
/// has to wait for waypoints follows when its time has come. Runs on the thread that brought the change.
final class MeshPublisher implements Consumer<Commit> {
    private final AmbientMesh mesh;
    private final EnvoyMesh envoys;
    private final ResourceStore store;
    private final WaypointOrder order;
    private final ControlMetrics metrics;
    private boolean first = true;

    MeshPublisher(
            AmbientMesh mesh, EnvoyMesh envoys, ResourceStore store, WaypointOrder order, ControlMetrics metrics) {
        this.mesh = mesh;
        this.envoys = envoys;
        this.store = store;
        this.order = order;
        this.metrics = metrics;
    }

    /// Tells node proxies of addresses whose time has come.
    static Consumer<Collection<Address>> later(ResourceStore store) {
        return addresses -> store.publish(batch(addresses));
    }

    @Override
    public void accept(Commit commit) {
        if (first) {
            publishAll(commit.cut());
            first = false;
            return;
        }
        var addresses = commit.changes(mesh.addresses());
        var policies = commit.changes(mesh.authorizations());
        order.apply(addresses, told -> store.publish(batch(told, addresses, policies)));
        order.left(left(commit), envoys.departing());
        metrics.triggered(XdsType.ADDRESS, addresses.size());
        metrics.triggered(XdsType.AUTHORIZATION, policies.size());
    }

    /// With what was there before anybody listened.
    private void publishAll(Cut cut) {
        var batch = new ResourceBatch();
        cut.of(mesh.addresses()).forEach((_, address) -> batch.put(XdsType.ADDRESS, encoded(address)));
        cut.of(mesh.authorizations())
                .forEach((_, policy) -> batch.put(XdsType.AUTHORIZATION, AuthorizationCodec.resource(policy)));
        store.holdNews();
        store.publish(batch);
        var waypoints = new HashSet<ObjectKey>();
        cut.of(mesh.addresses()).forEach((_, address) -> {
            if (!address.waypoints().isEmpty()) {
                waypoints.addAll(envoys.offers().waypoints(address, address.waypoints()));
            }
        });
        order.start(waypoints, store::releaseNews);
    }

    private static ResourceBatch batch(
            Collection<Address> told,
            List<Change<String, Address>> addresses,
            List<Change<String, Authorization>> policies) {
        var batch = batch(told);
        for (var change : addresses) {
            if (change.current().isEmpty()) {
                batch.remove(XdsType.ADDRESS, change.key());
            }
        }
        for (var change : policies) {
            change.current()
                    .ifPresentOrElse(
                            policy -> batch.put(XdsType.AUTHORIZATION, AuthorizationCodec.resource(policy)),
                            () -> batch.remove(XdsType.AUTHORIZATION, change.key()));
        }
        return batch;
    }

    private static ResourceBatch batch(Collection<Address> told) {
        var batch = new ResourceBatch();
        told.forEach(address -> batch.put(XdsType.ADDRESS, encoded(address)));
        return batch;
    }

    /// The turns in which addresses left waypoints that still serve them.
    private Map<String, Long> left(Commit commit) {
        var result = new HashMap<String, Long>();
        for (var change : commit.changes(envoys.former().table())) {
            change.current().ifPresent(turns -> result.put(change.key(), Collections.max(turns.values())));
        }
        return result;
    }

    private static XdsResource encoded(Address address) {
        return switch (address) {
            case Workload workload -> AddressCodec.resource(workload);
            case Service service -> AddressCodec.resource(service);
        };
    }
}
