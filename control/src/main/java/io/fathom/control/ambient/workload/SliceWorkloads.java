// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Interner;
import io.fathom.control.ambient.service.KubeServices;
import io.fathom.control.ambient.service.SliceTargets;
import io.fathom.control.ambient.service.TargetPorts;
import io.fathom.control.ambient.waypoint.NamespaceContext;
import io.fathom.control.ambient.waypoint.Namespaces;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.core.EndpointSliceManifest;
import io.fathom.wire.kube.core.EndpointSliceManifest.AddressType;
import io.fathom.wire.kube.core.EndpointSliceManifest.Endpoint;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Workloads from endpoints that are written by hand: an address behind a Service and nothing more.
public final class SliceWorkloads {
    private final Namespaces namespaces;
    private final KubeServices services;
    private final Interner interner;
    private final Table<String, Workload> workloads;

    public SliceWorkloads(Flow flow, Inputs inputs, Namespaces namespaces, KubeServices services, Interner interner) {
        this.namespaces = namespaces;
        this.services = services;
        this.interner = interner;
        workloads = flow.deriveMany("endpoint-slices/workloads", inputs.slices(), this::workloads);
    }

    /// The workloads by uid.
    public Table<String, Workload> workloads() {
        return workloads;
    }

    private Map<String, Workload> workloads(Fetch<ObjectKey> fetch, EndpointSliceManifest slice) {
        if (slice.service().isEmpty()
                || slice.addressType() == AddressType.FQDN
                || slice.endpoints().stream().noneMatch(SliceTargets::isNoPod)) {
            return Map.of();
        }
        var service = fetch.one(services.members(), slice.key().sibling(slice.service()));
        if (service.isEmpty()) {
            return Map.of();
        }
        var context = namespaces.context(fetch, slice.key());
        var ports = interner.share(TargetPorts.ofSlice(service.get().ports(), slice.ports()));
        var memberships = new HashMap<String, List<Port>>();
        service.get().keys().forEach(key -> memberships.put(key, ports));
        var result = new LinkedHashMap<String, Workload>();
        for (var endpoint : slice.endpoints()) {
            if (SliceTargets.isNoPod(endpoint)) {
                workload(slice, endpoint, context, memberships)
                        .ifPresent(workload -> result.put(workload.uid(), workload));
            }
        }
        return result;
    }

    /// Several addresses of one endpoint lead to the same place; the first counts.
    private Optional<Workload> workload(
            EndpointSliceManifest slice,
            Endpoint endpoint,
            NamespaceContext context,
            Map<String, List<Port>> memberships) {
        return endpoint.addresses().stream()
                .findFirst()
                .flatMap(text -> Ip.parse(text).map(ip -> {
                    var draft = new WorkloadDraft(uid(slice.key(), text), slice.name(), slice.namespace());
                    draft.addresses = List.of(ip);
                    draft.network = context.network();
                    draft.trustDomain = context.trustDomain();
                    draft.health = endpoint.ready() ? Workload.Health.HEALTHY : Workload.Health.UNHEALTHY;
                    draft.clusterId = slice.key().cluster();
                    draft.services = interner.share(Map.copyOf(memberships));
                    draft.networkMode = Workload.NetworkMode.HOST_NETWORK;
                    return draft.finish(interner);
                }));
    }

    private static String uid(ObjectKey slice, String address) {
        return slice.cluster() + "/discovery.k8s.io/EndpointSlice/" + slice.namespace() + "/" + slice.name() + "/"
                + address;
    }
}
