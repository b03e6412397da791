// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.workload.AddressCodec;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import java.util.function.Consumer;

/// Hands what changed to the streams, as the program itself does; a benchmark has no policies.
record Publisher(AmbientMesh mesh, ResourceStore store) implements Consumer<Commit> {
    @Override
    public void accept(Commit commit) {
        var batch = new ResourceBatch();
        for (var change : commit.changes(mesh.addresses())) {
            switch (change) {
                case Change.Added<String, Address> added -> batch.put(XdsType.ADDRESS, encoded(added.after()));
                case Change.Updated<String, Address> updated -> batch.put(XdsType.ADDRESS, encoded(updated.after()));
                case Change.Removed<String, Address> removed -> batch.remove(XdsType.ADDRESS, removed.key());
            }
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
