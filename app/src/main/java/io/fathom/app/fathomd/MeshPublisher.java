package io.fathom.app.fathomd;

import io.fathom.app.fathomd.http.ControlMetrics;
import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.workload.AddressCodec;
import io.fathom.wire.workload.AuthorizationCodec;
import io.fathom.wire.xds.ResourceBatch;
import io.fathom.wire.xds.ResourceStore;
import io.fathom.wire.xds.XdsResource;
import io.fathom.wire.xds.XdsType;
import java.util.function.Consumer;

/// Hands each step of the mesh to the streams as one batch, every changed resource encoded once. Runs on the thread
/// that brought the change.
final class MeshPublisher implements Consumer<Commit> {
    private final AmbientMesh mesh;
    private final ResourceStore store;
    private final ControlMetrics metrics;
    private boolean first = true;

    MeshPublisher(AmbientMesh mesh, ResourceStore store, ControlMetrics metrics) {
        this.mesh = mesh;
        this.store = store;
        this.metrics = metrics;
    }

    @Override
    public void accept(Commit commit) {
        var batch = new ResourceBatch();
        if (first) { // with what was there before anybody listened
            first = false;
            commit.cut().of(mesh.addresses()).forEach((_, address) -> batch.put(XdsType.ADDRESS, encoded(address)));
            commit.cut()
                    .of(mesh.authorizations())
                    .forEach((_, policy) -> batch.put(XdsType.AUTHORIZATION, AuthorizationCodec.resource(policy)));
        } else {
            var addresses = commit.changes(mesh.addresses());
            for (var change : addresses) {
                switch (change) {
                    case Change.Added<String, Address> added -> batch.put(XdsType.ADDRESS, encoded(added.after()));
                    case Change.Updated<String, Address> updated ->
                        batch.put(XdsType.ADDRESS, encoded(updated.after()));
                    case Change.Removed<String, Address> removed -> batch.remove(XdsType.ADDRESS, removed.key());
                }
            }
            var policies = commit.changes(mesh.authorizations());
            for (var change : policies) {
                switch (change) {
                    case Change.Added<String, Authorization> added ->
                        batch.put(XdsType.AUTHORIZATION, AuthorizationCodec.resource(added.after()));
                    case Change.Updated<String, Authorization> updated ->
                        batch.put(XdsType.AUTHORIZATION, AuthorizationCodec.resource(updated.after()));
                    case Change.Removed<String, Authorization> removed ->
                        batch.remove(XdsType.AUTHORIZATION, removed.key());
                }
            }
            metrics.triggered(XdsType.ADDRESS, addresses.size());
            metrics.triggered(XdsType.AUTHORIZATION, policies.size());
        }
        store.publish(batch);
    }

    private static XdsResource encoded(Address address) {
        return switch (address) {
            case Workload workload -> AddressCodec.resource(workload);
            case Service service -> AddressCodec.resource(service);
        };
    }
}
