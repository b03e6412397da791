// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.core.ServiceManifest.Target;
import io.fathom.wire.kube.core.ServiceManifest.TrafficPolicy;
import io.fathom.wire.kube.manifest.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A Service without selector, ports and address.
public final class ServiceDraft extends Draft<ServiceDraft> {
    private ServiceManifest.Type type = ServiceManifest.Type.CLUSTER_IP;
    private final List<Ip> clusterIps = new ArrayList<>();
    private Map<String, String> selector = Map.of();
    private final List<ServicePort> ports = new ArrayList<>();
    private TrafficPolicy trafficPolicy = TrafficPolicy.CLUSTER;
    private String distribution = "";
    private boolean publishNotReady;
    private Optional<Integer> affinity = Optional.empty();

    ServiceDraft(String path) {
        super(path);
    }

    @Override
    ServiceDraft self() {
        return this;
    }

    public ServiceDraft type(ServiceManifest.Type value) {
        type = value;
        return this;
    }

    public ServiceDraft vip(String ip) {
        clusterIps.add(Ip.parse(ip).orElseThrow());
        return this;
    }

    public ServiceDraft selects(String label, String value) {
        selector = Map.of(label, value);
        return this;
    }

    public ServiceDraft port(String name, int number, int target) {
        ports.add(new ServicePort(name, number, Transport.TCP, new Target.ByNumber(target), ""));
        return this;
    }

    public ServiceDraft namedPort(String name, int number, String target) {
        ports.add(new ServicePort(name, number, Transport.TCP, new Target.ByName(target), ""));
        return this;
    }

    ServiceDraft port(ServicePort port) {
        ports.add(port);
        return this;
    }

    public ServiceDraft localTraffic() {
        trafficPolicy = TrafficPolicy.LOCAL;
        return this;
    }

    public ServiceDraft distribution(String value) {
        distribution = value;
        return this;
    }

    public ServiceDraft publishNotReady() {
        publishNotReady = true;
        return this;
    }

    ServiceDraft sticky(int seconds) {
        affinity = Optional.of(seconds);
        return this;
    }

    @Override
    ServiceManifest manifest() {
        return new ServiceManifest(
                metadata(),
                type,
                clusterIps,
                clusterIps.isEmpty() ? ServiceManifest.Headless.YES : ServiceManifest.Headless.NO,
                clusterIps.stream().map(Ip::family).distinct().toList(),
                selector,
                ports,
                trafficPolicy,
                distribution,
                publishNotReady,
                List.of(),
                affinity);
    }
}
