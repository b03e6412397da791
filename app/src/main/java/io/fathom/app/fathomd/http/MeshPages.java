// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.http.JsonOut;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.base.flow.Cut;
import io.fathom.base.flow.PersistentMap;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.status.FullStatus;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.control.status.Statements;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.xds.store.XdsType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// The pages about the mesh: what is served, what was read, what is to be written back. Each page shows one cut.
public final class MeshPages {
    /// How many of each are served.
    public record MeshCounts(int workloads, int services, int policies) {}

    private final AmbientMesh mesh;
    private final Statements statements;
    private final Table<ProblemKey, ObjectProblem> envoyProblems;
    private final Supplier<List<ManifestProblem>> manifestProblems;
    private final String clusterId;

    /// @param envoyProblems with objects that configure Envoys, on the same flow
    public MeshPages(
            AmbientMesh mesh,
            Statements statements,
            Table<ProblemKey, ObjectProblem> envoyProblems,
            Supplier<List<ManifestProblem>> manifestProblems,
            String clusterId) {
        this.mesh = mesh;
        this.statements = statements;
        this.envoyProblems = envoyProblems;
        this.manifestProblems = manifestProblems;
        this.clusterId = clusterId;
    }

    public void addTo(Pages pages) {
        pages.debug("ambientz", "Workloads, services, policies, waypoints and problems", _ -> ambientz())
                .debug("registryz", "Services", _ -> registryz())
                .debug("configz", "Manifests as they were read", _ -> configz())
                .debug("statusz", "Conditions and addresses to be written back, by object", _ -> statusz());
    }

    /// What the mesh comes to.
    public MeshCounts counts() {
        var services = new int[1];
        var addresses = mesh.cut().of(mesh.addresses());
        addresses.forEach((_, address) -> services[0] += address instanceof Service ? 1 : 0);
        return new MeshCounts(
                addresses.size() - services[0],
                services[0],
                mesh.cut().of(mesh.authorizations()).size());
    }

    private Page.Reply ambientz() {
        return Page.Reply.json(json -> {
            var cut = mesh.cut();
            var addresses = sorted(cut.of(mesh.addresses()));
            json.object(out -> out.wholeList(
                            "workloads",
                            only(addresses, Workload.class),
                            (list, workload) -> list.object(it -> MeshJson.workload(it, workload)))
                    .wholeList(
                            "services",
                            only(addresses, Service.class),
                            (list, service) -> list.object(it -> MeshJson.service(it, service)))
                    .wholeList(
                            "policies",
                            sorted(cut.of(mesh.authorizations())),
                            (list, policy) -> list.object(it -> PolicyJson.policy(it, policy)))
                    .wholeList("waypoints", waypoints(), (list, gateway) -> list.object(it -> waypoint(it, gateway)))
                    .wholeList(
                            "problems",
                            manifestProblems.get(),
                            (list, problem) -> list.object(it -> manifestProblem(it, problem)))
                    .wholeList(
                            "warnings",
                            warnings(cut),
                            (list, entry) -> list.object(it ->
                                    problem(it.text("object", entry.object().path()), entry.problem()))));
        });
    }

    private List<ObjectProblem> warnings(Cut cut) {
        var result = new ArrayList<>(sortedMap(cut.of(mesh.problems())).values());
        result.addAll(sortedMap(cut.of(envoyProblems)).values());
        return result;
    }

    /// What is served of these types, in the shape of Envoy's config dump.
    Page.Reply configDump(List<String> types) {
        return Page.Reply.json(json -> json.object(out -> {
            var cut = mesh.cut();
            out.wholeList("configs", types, (list, type) -> {
                switch (type) {
                    case "wds" ->
                        sorted(cut.of(mesh.addresses())).forEach(address -> list.object(it -> dumped(it, address)));
                    case "wads" ->
                        sorted(cut.of(mesh.authorizations()))
                                .forEach(policy -> list.object(it ->
                                        PolicyJson.policy(it.text("@type", XdsType.AUTHORIZATION.url()), policy)));
                    default -> {}
                }
            });
        }));
    }

    private static void dumped(JsonOut json, Address address) {
        json.text("@type", XdsType.ADDRESS.url());
        switch (address) {
            case Workload workload -> json.object("workload", it -> MeshJson.workload(it, workload));
            case Service service -> json.object("service", it -> MeshJson.service(it, service));
        }
    }

    private Page.Reply statusz() {
        return Page.Reply.json(json -> json.object(out -> statements
                .all(mesh.cut())
                .forEach((object, status) -> out.object(object.path(), it -> status(it, status)))));
    }

    private Page.Reply registryz() {
        return Page.Reply.json(json -> json.list(
                only(sorted(mesh.cut().of(mesh.addresses())), Service.class),
                (out, service) -> out.object(it -> registered(it, service))));
    }

    private Page.Reply configz() {
        return Page.Reply.json(json -> json.list(
                mesh.manifests().toList(), (out, manifest) -> out.object(it -> ManifestJson.manifest(it, manifest))));
    }

    private void registered(JsonOut json, Service service) {
        var addresses = service.addresses().stream()
                .map(address -> address.block().isSingleAddress()
                        ? address.block().address().toString()
                        : address.block().toString())
                .toList();
        json.object("Attributes", it -> it.text("Name", service.name()).text("Namespace", service.namespace()))
                .text("hostname", service.hostname())
                .list(
                        "ports",
                        service.ports(),
                        (out, port) -> out.object(it -> it.number("port", port.servicePort())
                                .text("protocol", port.appProtocol().name())))
                .object("clusterVIPs", it -> it.object("Addresses", vips -> vips.texts(clusterId, addresses)))
                .text("defaultAddress", addresses.isEmpty() ? "0.0.0.0" : addresses.getFirst());
    }

    private List<GatewayManifest> waypoints() {
        return mesh.manifests()
                .filter(GatewayManifest.class::isInstance)
                .map(GatewayManifest.class::cast)
                .filter(gateway -> gateway.className().equals("istio-waypoint"))
                .toList();
    }

    private void waypoint(JsonOut json, GatewayManifest gateway) {
        json.text("name", gateway.name())
                .text("namespace", gateway.namespace())
                .texts(
                        "addresses",
                        gateway.statusAddresses().stream()
                                .map(GatewayManifest.Address::value)
                                .toList())
                .texts(
                        "services",
                        mesh.servicesOf(gateway.key()).stream()
                                .map(Service::key)
                                .toList())
                .texts(
                        "workloads",
                        mesh.workloadsOf(gateway.key()).stream()
                                .map(Workload::uid)
                                .toList());
    }

    private static void status(JsonOut json, FullStatus status) {
        conditions(json, status.own().conditions())
                .list(
                        "addresses",
                        status.own().addresses(),
                        (out, address) ->
                                out.object(it -> it.text("host", address.host()).text("value", address.value())));
        var lists = status.parts().stream()
                .map(FullStatus.StatusSection::list)
                .distinct()
                .toList();
        for (var name : lists) {
            var parts = status.parts().stream()
                    .filter(part -> part.list().equals(name))
                    .toList();
            json.list(
                    name,
                    parts,
                    (out, part) -> out.object(it -> conditions(it.text("name", part.name()), part.conditions())));
        }
    }

    private static JsonOut conditions(JsonOut json, List<StatusCondition> conditions) {
        return json.list(
                "conditions",
                conditions,
                (out, condition) -> out.object(it -> it.text("type", condition.type())
                        .text("status", condition.status().text())
                        .text("reason", condition.reason())
                        .text("message", condition.message())));
    }

    static void manifestProblem(JsonOut json, ManifestProblem problem) {
        problem(
                json.text("file", problem.file())
                        .number("line", problem.line())
                        .text("object", problem.object().replaceFirst(" ", "/"))
                        .text("field", problem.field()),
                problem.problem());
    }

    private static void problem(JsonOut json, Problem problem) {
        json.text("code", problem.code()).text("message", problem.message()).text("fix", problem.fix());
    }

    private static <T extends Address> List<T> only(Collection<Address> addresses, Class<T> kind) {
        return addresses.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static <V> Collection<V> sorted(PersistentMap<String, V> rows) {
        return sortedMap(rows).values();
    }

    private static <K, V> Map<K, V> sortedMap(PersistentMap<K, V> rows) {
        var map = new TreeMap<K, V>();
        rows.forEach(map::put);
        return map;
    }
}
