// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Workload;
import java.io.IOException;
import java.util.Optional;

/// One workload of a dump. Defaults are filled in as upstream does, then left out where upstream leaves them out.
final class WorkloadDump {
    private final JsonGenerator out;

    WorkloadDump(JsonGenerator out) {
        this.out = out;
    }

    void write(Workload it) throws IOException {
        out.writeStartObject();
        addresses("workloadIps", it);
        addresses("addresses", it); // ours alone, as is the identity: what people ask for by these names
        text("identity", it.identity().map(Identity::uri).orElse(""));
        gateway("waypoint", it.waypoint());
        gateway("networkGateway", it.networkGateway());
        out.writeStringField("protocol", DumpSpelling.of(it.tunnelProtocol()));
        out.writeStringField("networkMode", DumpSpelling.of(it.networkMode()));
        text("uid", it.uid());
        out.writeStringField("name", it.name());
        out.writeStringField("namespace", it.namespace());
        text("trustDomain", orElse(it.trustDomain(), "cluster.local"));
        text("serviceAccount", orElse(it.serviceAccount(), "default"));
        text("network", it.network());
        text("workloadName", it.workloadName());
        if (it.type() != Workload.Type.DEPLOYMENT) {
            out.writeStringField("workloadType", DumpSpelling.of(it.type()));
        }
        text("canonicalName", it.canonicalName());
        text("canonicalRevision", it.canonicalRevision());
        text("hostname", it.hostname());
        text("node", it.node());
        if (it.nativeTunnel() == Workload.NativeTunnel.YES) {
            out.writeBooleanField("nativeTunnel", true);
        }
        tunnel(it.applicationTunnel());
        if (!it.authorizationPolicies().isEmpty()) {
            out.writeArrayFieldStart("authorizationPolicies");
            for (var policy : it.authorizationPolicies()) {
                out.writeString(policy);
            }
            out.writeEndArray();
        }
        out.writeStringField("status", DumpSpelling.of(it.health()));
        out.writeStringField("clusterId", orElse(it.clusterId(), "Kubernetes"));
        locality(it.locality());
        if (!it.services().isEmpty()) {
            out.writeArrayFieldStart("services");
            for (var key : it.services().keySet().stream().sorted().toList()) {
                out.writeString(key);
            }
            out.writeEndArray();
        }
        out.writeNumberField("capacity", it.capacity() == 0 ? 1 : Integer.toUnsignedLong(it.capacity()));
        if (it.hairpin() == Workload.Hairpin.YES) {
            out.writeBooleanField("hairpin", true); // ours alone
        }
        out.writeEndObject();
    }

    private void addresses(String field, Workload it) throws IOException {
        out.writeArrayFieldStart(field);
        for (var ip : it.addresses()) {
            out.writeString(ip.toString());
        }
        out.writeEndArray();
    }

    private void tunnel(Optional<Workload.ApplicationTunnel> tunnel) throws IOException {
        if (tunnel.isPresent()) {
            out.writeObjectFieldStart("applicationTunnel");
            out.writeStringField("protocol", tunnel.get().protocol().name());
            if (tunnel.get().port() != 0) {
                out.writeNumberField("port", tunnel.get().port());
            }
            out.writeEndObject();
        }
    }

    private void locality(Locality locality) throws IOException {
        if (!locality.equals(Locality.NONE)) {
            out.writeObjectFieldStart("locality");
            out.writeStringField("region", locality.region());
            out.writeStringField("zone", locality.zone());
            out.writeStringField("subzone", locality.subzone());
            out.writeEndObject();
        }
    }

    private void gateway(String field, Optional<GatewayAddress> gateway) throws IOException {
        if (gateway.isPresent()) {
            out.writeFieldName(field);
            writeGateway(out, gateway.get());
        }
    }

    static void writeGateway(JsonGenerator out, GatewayAddress gateway) throws IOException {
        out.writeStartObject();
        out.writeStringField(
                "destination",
                switch (gateway.destination()) {
                    case GatewayAddress.GatewayDestination.ByHostname byName ->
                        byName.host().key();
                    case GatewayAddress.GatewayDestination.ByAddress byAddress ->
                        byAddress.address().alias();
                });
        out.writeNumberField("hboneMtlsPort", gateway.hbonePort());
        out.writeEndObject();
    }

    private void text(String field, String value) throws IOException {
        if (!value.isEmpty()) {
            out.writeStringField(field, value);
        }
    }

    private static String orElse(String value, String otherwise) {
        return value.isEmpty() ? otherwise : value;
    }
}
