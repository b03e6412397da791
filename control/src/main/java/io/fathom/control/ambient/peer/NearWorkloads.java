// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.MeshSettings;
import io.fathom.control.ambient.network.Networks;
import io.fathom.control.ambient.workload.WorkloadDraft;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.ServiceEndpoints.PeerEndpoint;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The endpoints of other clusters on our own network, each as a workload that is called directly. One that claims the
/// address of a pod of ours is left out.
public final class NearWorkloads {
    /// An endpoint of a service.
    private record Member(String cluster, String trustDomain, Map<String, List<Port>> services, PeerEndpoint endpoint) {
        String uid() {
            return cluster + "/fathom.io/PeerEndpoint/" + endpoint.addresses().getFirst();
        }
    }

    private record MemberKey(PeerServiceKey service, int number) implements Comparable<MemberKey> {
        @Override
        public int compareTo(MemberKey other) {
            var byService = service.compareTo(other.service);
            return byService != 0 ? byService : Integer.compare(number, other.number);
        }
    }

    private final Table<String, Workload> workloads;

    public NearWorkloads(
            Flow flow,
            Inputs inputs,
            PeerSources sources,
            Peers peers,
            NearPeers near,
            Networks networks,
            AmbientConfig config) {
        var home = new ObjectKey(config.clusterId(), "", "");
        var own = flow.index(
                "pods/addresses-near-peers",
                flow.derive(
                        "pods/near-peers",
                        inputs.pods(),
                        (fetch, pod) -> near.exist(fetch) ? Optional.of(addresses(pod)) : Optional.<Set<Ip>>empty()),
                found -> found);
        Table<MemberKey, Member> members =
                flow.deriveMany("peers/near-members", sources.endpoints(), (fetch, service) -> {
                    var result = new LinkedHashMap<MemberKey, Member>();
                    var known = fetch.one(peers.table(), fetch.key());
                    if (known.isPresent() && near.has(fetch, fetch.key().cluster())) {
                        var number = 0;
                        for (var endpoint : service.endpoints()) {
                            result.put(
                                    new MemberKey(fetch.key(), number++),
                                    new Member(
                                            fetch.key().cluster(),
                                            known.get().trustDomain(),
                                            ports(known.get().keys(), endpoint.ports()),
                                            endpoint));
                        }
                    }
                    return result;
                });
        workloads = flow.reduce(
                "peers/near-workloads",
                flow.index("peers/near-by-uid", members, member -> Set.of(member.uid())),
                (fetch, uid, found) -> workload(fetch, uid, found, own, networks.of(fetch, home)));
    }

    /// By uid.
    public Table<String, Workload> workloads() {
        return workloads;
    }

    private static Set<Ip> addresses(PodManifest pod) {
        return Set.copyOf(pod.ips());
    }

    private static Map<String, List<Port>> ports(Set<String> keys, List<Port> ports) {
        var result = new HashMap<String, List<Port>>();
        keys.forEach(key -> result.put(key, ports));
        return result;
    }

    private static Optional<Workload> workload(
            Fetch<String> fetch, String uid, List<Member> found, Index<Ip, ObjectKey, Set<Ip>> own, String network) {
        var first = found.getFirst();
        var endpoint = first.endpoint();
        if (endpoint.addresses().stream().anyMatch(ip -> !fetch.all(own, ip).isEmpty())) {
            return Optional.empty();
        }
        var services = new HashMap<String, List<Port>>();
        found.forEach(member -> services.putAll(member.services()));
        var slash = endpoint.account().indexOf('/');
        var draft = new WorkloadDraft(
                uid,
                endpoint.addresses().getFirst().toString(),
                endpoint.account().substring(0, slash));
        draft.addresses = endpoint.addresses();
        draft.serviceAccount = endpoint.account().substring(slash + 1);
        draft.trustDomain = MeshSettings.shownTrustDomain(first.trustDomain());
        draft.beside(network, endpoint.tunnel(), first.cluster(), services, endpoint.capacity(), endpoint.health());
        draft.at(endpoint.locality());
        return Optional.of(draft.finish());
    }
}
