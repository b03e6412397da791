// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.ambient.input.MeshNames;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Origin;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Service.Canonical;
import io.fathom.model.mesh.Service.Visibility;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.manifest.Transport;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// All services with what proxies have to know of them, by resource name, host and object.
final class MeshServices {
    /// What only the object says.
    private record Declared(Metadata metadata, Origin origin, List<NamedPort> ports, Resolution resolution) {}

    private record NamedPort(int number, String name) {}

    private final Table<String, MeshService> table;
    private final Index<String, String, MeshService> byHost;
    private final Index<ObjectKey, String, MeshService> byObject;

    MeshServices(MeshFlow mesh) {
        var flow = mesh.flow();
        var declared = declared(mesh, flow);
        table = flow.derive(
                "envoy/services",
                declared,
                (fetch, object) -> fetch.own(mesh.addresses())
                        .flatMap(address -> address instanceof Service service
                                ? Optional.of(service(service, object))
                                : Optional.empty()));
        byHost = flow.index("envoy/services-by-host", table, service -> Set.of(service.hostname()));
        byObject = flow.index(
                "envoy/services-by-object",
                table,
                service -> isNamed(mesh, service) ? Set.of(service.metadata().key()) : Set.<ObjectKey>of());
    }

    /// Whoever names a Service means its name in Kubernetes.
    private static boolean isNamed(MeshFlow mesh, MeshService service) {
        return service.origin() != Origin.SERVICE
                || service.service()
                        .key()
                        .equals(mesh.serviceKey(service.metadata().key()));
    }

    /// By resource name, `namespace/hostname`.
    Table<String, MeshService> table() {
        return table;
    }

    /// A Service, else a ServiceEntry; one with several hosts gives the first.
    Optional<MeshService> of(Fetch<?> fetch, ObjectKey object) {
        return fetch.all(byObject, object).stream().min(Comparator.comparing(MeshService::origin));
    }

    /// What a host name means in a namespace: what is there, else what is canonical and public.
    Optional<MeshService> of(Fetch<?> fetch, String namespace, String hostname) {
        var found = fetch.all(byHost, hostname);
        return found.stream()
                .filter(service -> service.namespace().equals(namespace))
                .findFirst()
                .or(() -> found.stream()
                        .filter(service -> service.service().visibility() == Visibility.PUBLIC)
                        .min(Comparator.comparing((MeshService service) ->
                                        service.service().canonical() == Canonical.NO)
                                .thenComparing(service -> service.service().key())));
    }

    private static Table<String, Declared> declared(MeshFlow mesh, Flow flow) {
        var services = flow.derive(
                "envoy/declared-services",
                mesh.manifests(ServiceManifest.class),
                (fetch, service) -> Optional.of(declared(service)));
        var entries = flow.deriveMany(
                "envoy/declared-entries",
                mesh.manifests(ServiceEntryManifest.class),
                (fetch, entry) -> declared(entry.metadata(), Origin.SERVICE_ENTRY, entry));
        var meshWide = flow.deriveMany(
                "envoy/declared-mesh-wide",
                mesh.meshWideServices(),
                (fetch, entry) -> declared(of(fetch, mesh, entry), Origin.SERVICE, entry));
        var elsewhere = flow.derive(
                "envoy/declared-elsewhere",
                mesh.servicesElsewhere(),
                (fetch, service) -> Optional.of(declared(service)));
        return flow.join(
                "envoy/declared",
                List.of(
                        flow.rekey("envoy/declared-by-name", services, (key, _) -> mesh.serviceKey(key)),
                        entries,
                        meshWide,
                        elsewhere));
    }

    /// What is said of a Service holds whatever it is called. Where only other clusters have it, nobody here can say
    /// anything of it.
    private static Metadata of(Fetch<ObjectKey> fetch, MeshFlow mesh, ServiceEntryManifest entry) {
        return MeshNames.serviceOf(entry.key())
                .flatMap(service -> fetch.one(mesh.manifests(ServiceManifest.class), service))
                .map(Manifest::metadata)
                .orElse(entry.metadata());
    }

    private static Declared declared(ServiceManifest service) {
        var ports = service.ports().stream()
                .filter(port -> port.transport() == Transport.TCP)
                .map(port -> new NamedPort(port.number(), port.name()))
                .toList();
        return new Declared(service.metadata(), Origin.SERVICE, ports, Resolution.ENDPOINTS);
    }

    private static Map<String, Declared> declared(Metadata metadata, Origin origin, ServiceEntryManifest entry) {
        var ports = entry.ports().stream()
                .filter(port -> !port.protocol().equalsIgnoreCase("udp"))
                .map(MeshServices::named)
                .toList();
        var resolution = switch (entry.resolution()) {
            case NONE -> Resolution.NONE;
            case STATIC -> Resolution.ENDPOINTS;
            case DNS -> Resolution.DNS;
            case DNS_ROUND_ROBIN -> Resolution.DNS_ROUND_ROBIN;
            case DYNAMIC_DNS -> Resolution.DYNAMIC_DNS;
        };
        var result = new LinkedHashMap<String, Declared>();
        entry.hosts()
                .forEach(host ->
                        result.put(entry.namespace() + "/" + host, new Declared(metadata, origin, ports, resolution)));
        return result;
    }

    private static NamedPort named(EntryPort port) {
        return new NamedPort(port.number(), port.name());
    }

    private static MeshService service(Service service, Declared object) {
        var ports = new ArrayList<ServicePort>();
        for (var port : object.ports()) {
            ports.add(new ServicePort(port.number(), port.name(), protocol(service, port.number())));
        }
        return new MeshService(service, object.metadata(), object.origin(), ports, object.resolution());
    }

    private static AppProtocol protocol(Service service, int number) {
        return service.ports().stream()
                .filter(port -> port.servicePort() == number)
                .map(Port::appProtocol)
                .filter(protocol -> protocol != AppProtocol.UNKNOWN)
                .findFirst()
                .orElse(AppProtocol.UNKNOWN);
    }
}
