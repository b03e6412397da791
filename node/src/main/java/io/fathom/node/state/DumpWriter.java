// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fathom.model.routing.MeshView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;

/// Writes a view as fields of the object at hand, in the shape of upstream's `config_dump`: `workloads`,
/// `services`, `policies` and `stagedServices`, sorted, so that two dumps can be compared. One element is in
/// memory at a time.
public final class DumpWriter {
    private final JsonGenerator out;

    public DumpWriter(JsonGenerator out) {
        this.out = out;
    }

    /// All four fields.
    public void write(MeshView view) throws IOException {
        workloads(view);
        services(view);
        policies(view);
        stagedServices(view);
    }

    public void workloads(MeshView view) throws IOException {
        var uids = new ArrayList<String>(view.workloadCount());
        view.forEachWorkload(workload -> uids.add(workload.uid()));
        uids.sort(Comparator.naturalOrder());
        var writer = new WorkloadDump(out);
        out.writeArrayFieldStart("workloads");
        for (var uid : uids) {
            var workload = view.workload(uid);
            if (workload.isPresent()) {
                writer.write(workload.get());
            }
        }
        out.writeEndArray();
    }

    public void services(MeshView view) throws IOException {
        var keys = new ArrayList<String>();
        view.forEachService(service -> keys.add(service.key()));
        keys.sort(Comparator.naturalOrder());
        var writer = new ServiceDump(out);
        out.writeArrayFieldStart("services");
        for (var key : keys) {
            var service = view.service(key);
            if (service.isPresent()) {
                writer.write(service.get(), view.endpoints(key));
            }
        }
        out.writeEndArray();
    }

    public void policies(MeshView view) throws IOException {
        var writer = new PolicyDump(out);
        out.writeArrayFieldStart("policies");
        for (var policy : view.policies().all()) {
            writer.write(policy);
        }
        out.writeEndArray();
    }

    /// Endpoints of services that are not known.
    public void stagedServices(MeshView view) throws IOException {
        var writer = new ServiceDump(out);
        out.writeObjectFieldStart("stagedServices");
        for (var key : view.stagedServices()) {
            out.writeFieldName(key);
            writer.endpoints(key, view.endpoints(key));
        }
        out.writeEndObject();
    }
}
