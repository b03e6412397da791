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
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/// Hands what changed to the streams, as the program itself does; a benchmark has no policies.
///
/// @param encoded counts resources
/// @param bytes counts those of resources
record Publisher(AmbientMesh mesh, ResourceStore store, LongAdder encoded, LongAdder bytes)
        implements Consumer<Commit> {
    Publisher(AmbientMesh mesh, ResourceStore store) {
        this(mesh, store, new LongAdder(), new LongAdder());
    }

    @Override
    public void accept(Commit commit) {
        var batch = new ResourceBatch();
        for (var change : commit.changes(mesh.addresses())) {
            switch (change) {
                case Change.Added<String, Address> added -> batch.put(XdsType.ADDRESS, resource(added.after()));
                case Change.Updated<String, Address> updated -> batch.put(XdsType.ADDRESS, resource(updated.after()));
                case Change.Removed<String, Address> removed -> batch.remove(XdsType.ADDRESS, removed.key());
            }
        }
        store.publish(batch);
    }

    private XdsResource resource(Address address) {
        var resource = switch (address) {
            case Workload workload -> AddressCodec.resource(workload);
            case Service service -> AddressCodec.resource(service);
        };
        encoded.increment();
        bytes.add(resource.body().length);
        return resource;
    }
}
