// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.base.flow.Failures;
import io.fathom.control.Ids;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.ConditionTypes;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// A mesh under test: manifests in, single resources and the names of changed ones out.
public final class TestMesh {
    private final AmbientMesh mesh;
    private List<Change<String, Address>> changes = List.of();

    public TestMesh() {
        this(AmbientConfig.defaults());
    }

    public TestMesh(AmbientConfig config) {
        mesh = new AmbientMesh(config, Failures.rethrown());
        var _ = mesh.subscribe(this::note);
    }

    private void note(Commit commit) {
        changes = commit.changes(mesh.addresses());
    }

    public AmbientMesh mesh() {
        return mesh;
    }

    public TestMesh put(Draft<?>... drafts) {
        mesh.apply(Arrays.stream(drafts)
                .<ManifestChange>map(draft -> new ManifestChange.Put(draft.manifest()))
                .toList());
        return this;
    }

    /// The same in another cluster.
    public TestMesh putIn(String cluster, Draft<?>... drafts) {
        mesh.remotes()
                .apply(
                        cluster,
                        Arrays.stream(drafts)
                                .map(draft -> draft.cluster(cluster))
                                .<ManifestChange>map(draft -> new ManifestChange.Put(draft.manifest()))
                                .toList());
        return this;
    }

    public TestMesh removeIn(String cluster, Draft<?>... drafts) {
        mesh.remotes()
                .apply(
                        cluster,
                        Arrays.stream(drafts)
                                .map(draft -> draft.cluster(cluster))
                                .map(draft -> removal(draft))
                                .toList());
        return this;
    }

    private static ManifestChange removal(Draft<?> draft) {
        return new ManifestChange.Remove(draft.manifest().getClass().asSubclass(Manifest.class), draft.key());
    }

    public TestMesh remove(Draft<?>... drafts) {
        var batch = new ArrayList<ManifestChange>();
        for (var draft : drafts) {
            var kind = draft.manifest().getClass().asSubclass(Manifest.class);
            batch.add(new ManifestChange.Remove(kind, draft.key()));
        }
        mesh.apply(batch);
        return this;
    }

    /// The names that the last batch changed, added or removed.
    public Set<String> changed() {
        var names = new TreeSet<String>();
        changes.forEach(change -> names.add(change.key()));
        return names;
    }

    List<Change<String, Address>> changes() {
        return changes;
    }

    public Set<String> names() {
        var names = new TreeSet<String>();
        mesh.cut().of(mesh.addresses()).forEach((name, _) -> names.add(name));
        return names;
    }

    public Optional<Address> find(String name) {
        return mesh.cut().of(mesh.addresses()).find(name);
    }

    public Workload workload(String uid) {
        return (Workload) find(uid).orElseThrow(() -> new AssertionError("no " + uid + " in " + names()));
    }

    /// The workload of a pod.
    ///
    /// @param path `namespace/name`
    public Workload pod(String path) {
        return workload(podUid(path));
    }

    public Workload vm(String path) {
        return workload(vmUid(path));
    }

    public Service service(String name) {
        return (Service) find(name).orElseThrow(() -> new AssertionError("no " + name + " in " + names()));
    }

    /// The Service of that `namespace/name` in Kubernetes.
    public Service kubeService(String path) {
        return service(serviceName(path));
    }

    public Optional<ObjectStatus> status(String name) {
        return mesh.cut().of(mesh.statuses()).find(Ids.of(name));
    }

    /// `status/reason` of one condition, or `-`.
    public String condition(String object, String type) {
        return status(object).stream()
                .flatMap(status -> status.conditions().stream())
                .filter(condition -> condition.type().equals(type))
                .map(condition -> condition.status().text() + "/" + condition.reason())
                .findFirst()
                .orElse("-");
    }

    public String bound(String object) {
        return condition(object, ConditionTypes.WAYPOINT_BOUND);
    }

    public String message(String object) {
        return status(object).orElseThrow().conditions().getFirst().message();
    }

    public static String podUid(String path) {
        return Draft.CLUSTER + "//Pod/" + path;
    }

    public static String vmUid(String path) {
        return Draft.CLUSTER + "/networking.istio.io/WorkloadEntry/" + path;
    }

    public static String endpointUid(String path) {
        return Draft.CLUSTER + "/networking.istio.io/ServiceEntry/" + path;
    }

    public static String sliceUid(String path) {
        return Draft.CLUSTER + "/discovery.k8s.io/EndpointSlice/" + path;
    }

    public static String serviceName(String path) {
        var slash = path.indexOf('/');
        var namespace = path.substring(0, slash);
        return namespace + "/" + path.substring(slash + 1) + "." + namespace + ".svc.cluster.local";
    }

    /// `service>target` of every port that the workload has in a service.
    public static List<String> ports(Workload workload, String service) {
        var ports = workload.services().get(service);
        if (ports == null) {
            throw new AssertionError(workload.uid() + " is not behind " + service);
        }
        return text(ports);
    }

    /// `service>target` of every port.
    public static List<String> text(List<Port> ports) {
        return ports.stream()
                .map(port -> port.servicePort() + ">" + port.targetPort())
                .toList();
    }

    public static Optional<GatewayAddress> byHostname(String namespace, String hostname) {
        return byHostname(namespace, hostname, 15008);
    }

    static Optional<GatewayAddress> byHostname(String namespace, String hostname, int port) {
        return Optional.of(new GatewayAddress(
                new GatewayDestination.ByHostname(new NamespacedHostname(namespace, hostname)), port));
    }

    public static Optional<GatewayAddress> byIp(String network, String ip) {
        return Optional.of(new GatewayAddress(
                new GatewayDestination.ByAddress(
                        NetworkAddress.of(network, Ip.parse(ip).orElseThrow())),
                15008));
    }

    static ObjectKey key(String namespace, String name) {
        return new ObjectKey(Draft.CLUSTER, namespace, name);
    }
}
