// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.proto.workload.Address;
import io.fathom.wire.protobuf.ProtoWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// Writes model values as Address messages, fields in descending order (see [ProtoWriter]). The numbers come from the
/// generated classes, the enums of the model stand in the order of the wire's.
final class AddressWriter {
    private final ProtoWriter out = new ProtoWriter();

    private AddressWriter() {}

    static byte[] write(Workload workload) {
        var writer = new AddressWriter();
        writer.workload(workload);
        writer.out.close(Address.WORKLOAD_FIELD_NUMBER, 0);
        return writer.out.bytes();
    }

    static byte[] write(Service service) {
        var writer = new AddressWriter();
        writer.service(service);
        writer.out.close(Address.SERVICE_FIELD_NUMBER, 0);
        return writer.out.bytes();
    }

    private void workload(Workload it) {
        if (it.capacity() != 0) {
            var mark = out.mark();
            out.present(1, it.capacity());
            out.close(27, mark);
        }
        if (it.hairpin() == Workload.Hairpin.YES) {
            hairpin(26);
        }
        out.choice(25, it.networkMode());
        locality(24, it.locality());
        it.applicationTunnel().ifPresent(tunnel -> {
            var mark = out.mark();
            out.number(2, tunnel.port());
            out.choice(1, tunnel.protocol());
            out.close(23, mark);
        });
        services(22, it.services());
        out.text(21, it.hostname());
        out.text(20, it.uid());
        it.networkGateway().ifPresent(gateway -> gateway(19, gateway));
        out.text(18, it.clusterId());
        out.choice(17, it.health());
        out.texts(16, it.authorizationPolicies());
        out.choice(14, it.nativeTunnel());
        out.text(13, it.workloadName());
        out.choice(12, it.type());
        out.text(11, it.canonicalRevision());
        out.text(10, it.canonicalName());
        out.text(9, it.node());
        it.waypoint().ifPresent(waypoint -> gateway(8, waypoint));
        out.text(7, it.serviceAccount());
        out.text(6, it.trustDomain());
        out.choice(5, it.tunnelProtocol());
        out.text(4, it.network());
        for (int i = it.addresses().size() - 1; i >= 0; i--) {
            out.ip(3, it.addresses().get(i));
        }
        out.text(2, it.namespace());
        out.text(1, it.name());
    }

    private void service(Service it) {
        out.choice(14, it.visibility());
        for (int i = it.weightedWaypoints().size() - 1; i >= 0; i--) {
            var weighted = it.weightedWaypoints().get(i);
            var mark = out.mark();
            out.number(2, weighted.weight());
            gateway(1, weighted.destination());
            out.close(13, mark);
        }
        out.choice(12, it.ingressWaypoint());
        out.choice(11, it.canonical());
        out.choice(9, it.ipFamilies());
        loadBalancing(8, it.loadBalancing());
        it.waypoint().ifPresent(waypoint -> gateway(7, waypoint));
        out.texts(6, it.subjectAltNames());
        ports(5, it.ports());
        for (int i = it.addresses().size() - 1; i >= 0; i--) {
            address(4, it.addresses().get(i));
        }
        out.text(3, it.hostname());
        out.text(2, it.namespace());
        out.text(1, it.name());
    }

    /// Clients that do not know it pass over it. An Any without a type would be a mistake to some, hence the empty one.
    private void hairpin(int field) {
        var mark = out.mark();
        var config = out.mark();
        out.text(1, Extensions.NOTHING);
        out.close(2, config);
        out.text(1, Extensions.HAIRPIN);
        out.close(field, mark);
    }

    private void services(int field, Map<String, List<Port>> services) {
        if (services.isEmpty()) {
            return;
        }
        var keys = services.keySet().toArray(new String[0]);
        Arrays.sort(keys);
        for (int i = keys.length - 1; i >= 0; i--) {
            var entry = out.mark();
            var ports = services.get(keys[i]);
            ports(1, ports == null ? List.of() : ports);
            out.close(2, entry);
            out.element(1, keys[i]);
            out.close(field, entry);
        }
    }

    private void ports(int field, List<Port> ports) {
        for (int i = ports.size() - 1; i >= 0; i--) {
            var port = ports.get(i);
            var mark = out.mark();
            out.choice(3, port.appProtocol());
            out.number(2, port.targetPort());
            out.number(1, port.servicePort());
            out.close(field, mark);
        }
    }

    private void locality(int field, Locality locality) {
        if (locality.equals(Locality.NONE)) {
            return;
        }
        var mark = out.mark();
        out.text(3, locality.subzone());
        out.text(2, locality.zone());
        out.text(1, locality.region());
        out.close(field, mark);
    }

    private void loadBalancing(int field, LoadBalancing loadBalancing) {
        if (loadBalancing.equals(LoadBalancing.NONE)) {
            return;
        }
        var mark = out.mark();
        out.choice(3, loadBalancing.healthPolicy());
        out.choice(2, loadBalancing.mode());
        out.choices(1, loadBalancing.preference());
        out.close(field, mark);
    }

    private void gateway(int field, GatewayAddress gateway) {
        var mark = out.mark();
        out.number(3, gateway.hbonePort());
        switch (gateway.destination()) {
            case GatewayAddress.GatewayDestination.ByAddress(var address) -> address(2, address);
            case GatewayAddress.GatewayDestination.ByHostname(var host) -> hostname(1, host);
        }
        out.close(field, mark);
    }

    private void hostname(int field, NamespacedHostname host) {
        var mark = out.mark();
        out.text(2, host.hostname());
        out.text(1, host.namespace());
        out.close(field, mark);
    }

    private void address(int field, NetworkAddress address) {
        var mark = out.mark();
        if (!address.block().isSingleAddress()) {
            out.present(3, address.block().length());
        }
        out.ip(2, address.block().address());
        out.text(1, address.network());
        out.close(field, mark);
    }
}
