// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Port;
import io.fathom.wire.kube.core.EndpointSliceManifest.SlicePort;
import io.fathom.wire.kube.core.PodManifest.ContainerPort;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.core.ServiceManifest.Target;
import io.fathom.wire.kube.manifest.Transport;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Where the ports of a service lead on one workload. A port that leads nowhere is left out.
public final class TargetPorts {
    private TargetPorts() {}

    /// A pod behind a Service: a named target is a container port.
    public static List<Port> ofPod(List<ServicePort> ports, List<ContainerPort> containerPorts) {
        var result = new ArrayList<Port>(ports.size());
        for (var port : ports) {
            switch (port.target()) {
                case Target.ByNumber(int number) -> result.add(port(port.number(), number));
                case Target.ByName(String name) ->
                    named(containerPorts, name).ifPresent(found -> result.add(port(port.number(), found)));
            }
        }
        return List.copyOf(result);
    }

    /// A pod behind a ServiceEntry: a container port may carry the name of the service's port.
    public static List<Port> ofPodInEntry(List<EntryPort> ports, List<ContainerPort> containerPorts) {
        return ports.stream()
                .map(port ->
                        port(port.number(), named(containerPorts, port.name()).orElseGet(() -> target(port))))
                .toList();
    }

    /// A WorkloadEntry behind a Service: its own ports may replace a number and must know a name.
    public static List<Port> ofEntry(List<ServicePort> ports, Map<String, Integer> own) {
        var result = new ArrayList<Port>(ports.size());
        for (var port : ports) {
            switch (port.target()) {
                case Target.ByNumber(int number) ->
                    result.add(port(port.number(), own.getOrDefault(port.name(), number)));
                case Target.ByName(String name) ->
                    Optional.ofNullable(own.get(name)).ifPresent(found -> result.add(port(port.number(), found)));
            }
        }
        return List.copyOf(result);
    }

    /// A WorkloadEntry or an inline endpoint behind a ServiceEntry.
    public static List<Port> ofEntryInEntry(List<EntryPort> ports, Map<String, Integer> own) {
        return ports.stream()
                .map(port -> port(port.number(), own.getOrDefault(port.name(), target(port))))
                .toList();
    }

    /// An endpoint of a slice: its ports are those of the Service by name.
    public static List<Port> ofSlice(List<ServicePort> ports, List<SlicePort> own) {
        return own.stream()
                .filter(slicePort -> slicePort.transport() == Transport.TCP && slicePort.number() != 0)
                .flatMap(slicePort -> ports.stream()
                        .filter(port ->
                                port.transport() == Transport.TCP && port.name().equals(slicePort.name()))
                        .limit(1)
                        .map(port -> port(port.number(), slicePort.number())))
                .toList();
    }

    static int target(EntryPort port) {
        return port.target() == 0 ? port.number() : port.target();
    }

    private static Optional<Integer> named(List<ContainerPort> ports, String name) {
        for (var port : ports) {
            if (port.transport() == Transport.TCP
                    && !name.isEmpty()
                    && port.name().equals(name)) {
                return Optional.of(port.number());
            }
        }
        return Optional.empty();
    }

    private static Port port(int service, int target) {
        return new Port(service, target, AppProtocol.UNKNOWN);
    }
}
