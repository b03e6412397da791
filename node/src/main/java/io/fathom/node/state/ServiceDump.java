// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import java.io.IOException;
import java.util.List;

/// One service of a dump, with the endpoints it uses.
final class ServiceDump {
    private final JsonGenerator out;

    ServiceDump(JsonGenerator out) {
        this.out = out;
    }

    void write(Service it, List<Workload> endpoints) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", it.name());
        out.writeStringField("namespace", it.namespace());
        out.writeStringField("hostname", it.hostname());
        addresses(it);
        out.writeFieldName("ports");
        ports(it.ports());
        out.writeFieldName("endpoints");
        endpoints(it.key(), endpoints);
        out.writeArrayFieldStart("subjectAltNames");
        for (var name : it.subjectAltNames()) {
            out.writeString(name);
        }
        out.writeEndArray();
        if (it.waypoint().isPresent()) {
            out.writeFieldName("waypoint");
            WorkloadDump.writeGateway(out, it.waypoint().get());
        }
        weightedWaypoints(it.weightedWaypoints());
        loadBalancer(it.loadBalancing());
        if (it.ipFamilies() != Service.IpFamilies.AUTOMATIC) {
            out.writeStringField("ipFamilies", DumpSpelling.of(it.ipFamilies()));
        }
        out.writeBooleanField("canonical", it.canonical() == Service.Canonical.YES);
        out.writeStringField("visibility", DumpSpelling.of(it.visibility()));
        out.writeEndObject();
    }

    private void addresses(Service it) throws IOException {
        out.writeArrayFieldStart("vips");
        for (var address : it.addresses()) {
            if (address.block().isSingleAddress()) {
                out.writeString(address.alias());
            }
        }
        out.writeEndArray();
        var ranges = it.addresses().stream()
                .filter(address -> !address.block().isSingleAddress())
                .toList();
        if (!ranges.isEmpty()) {
            out.writeArrayFieldStart("cidrVips");
            for (var range : ranges) {
                out.writeStartObject();
                out.writeStringField("network", range.network());
                out.writeStringField("cidr", range.block().toString());
                out.writeEndObject();
            }
            out.writeEndArray();
        }
    }

    private void ports(List<Port> ports) throws IOException {
        out.writeStartObject();
        for (var port : ports) {
            out.writeNumberField(Integer.toString(port.servicePort()), port.targetPort());
        }
        out.writeEndObject();
    }

    /// By uid.
    void endpoints(String key, List<Workload> endpoints) throws IOException {
        out.writeStartObject();
        for (var endpoint : endpoints) {
            out.writeObjectFieldStart(endpoint.uid());
            out.writeStringField("workloadUid", endpoint.uid());
            out.writeFieldName("port");
            ports(endpoint.services().getOrDefault(key, List.of()));
            out.writeStringField("status", DumpSpelling.of(endpoint.health()));
            out.writeEndObject();
        }
        out.writeEndObject();
    }

    private void weightedWaypoints(List<Service.WeightedWaypoint> waypoints) throws IOException {
        if (!waypoints.isEmpty()) {
            out.writeArrayFieldStart("weightedWaypoints");
            for (var waypoint : waypoints) {
                out.writeStartObject();
                out.writeFieldName("destination");
                WorkloadDump.writeGateway(out, waypoint.destination());
                out.writeNumberField("weight", waypoint.weight());
                out.writeEndObject();
            }
            out.writeEndArray();
        }
    }

    private void loadBalancer(LoadBalancing balancing) throws IOException {
        if (!balancing.equals(LoadBalancing.NONE)) {
            out.writeObjectFieldStart("loadBalancer");
            out.writeArrayFieldStart("routingPreferences");
            for (var scope : balancing.preference()) {
                out.writeString(DumpSpelling.of(scope));
            }
            out.writeEndArray();
            out.writeStringField("mode", DumpSpelling.of(balancing.mode()));
            out.writeStringField("healthPolicy", DumpSpelling.of(balancing.healthPolicy()));
            out.writeEndObject();
        }
    }
}
