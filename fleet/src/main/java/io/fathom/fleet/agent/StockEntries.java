// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.WorkQueue;
import io.fathom.base.work.WorkQueue.WorkResult;
import io.fathom.base.work.WorkSettings;
import io.fathom.fleet.agent.EntryObject.EntryKind;
import io.fathom.fleet.agent.EntryPlan.EntryOrigin;
import io.fathom.model.fleet.ExportChange;
import io.fathom.model.fleet.OriginView;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A stock istiod, which has no ear for an agent: services of other clusters become ServiceEntries and WorkloadEntries,
/// by server-side apply. What is deleted or changed by hand comes back within a minute. An entry goes when its cluster
/// leaves, or has said that it has no such service; nobody else's is ever touched. Any thread; writes on one of its
/// own.
public final class StockEntries implements LocalControlPlane {
    private static final Logger log = LoggerFactory.getLogger(StockEntries.class);
    private static final String ALL = "entries";
    private static final Duration RECHECK = Duration.ofMinutes(1);
    private static final WorkSettings WORK = new WorkSettings(
            1,
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            WorkSettings.FOR_EVER,
            Optional.of(new WorkSettings.Rate(2, 2)), // what changes in between is written once
            Duration.ofSeconds(5));
    private static final Map<EntryKind, KubeResource> RESOURCES = Map.of(
            EntryKind.SERVICE, KubeResource.of(ServiceEntryManifest.class),
            EntryKind.WORKLOAD, KubeResource.of(WorkloadEntryManifest.class));

    private final KubeClient client;
    private final String namespace;
    private final String network;
    private final WorkQueue<String> work;
    private volatile Supplier<Collection<OriginView>> known = List::of;
    private volatile Optional<Problem> trouble = Optional.empty();
    private volatile Optional<Problem> excess = Optional.empty();

    private boolean asked; // on the thread that writes

    // Guarded by this.
    private final Map<String, EntryOrigin> origins = new HashMap<>();
    private final Set<String> complete = new HashSet<>();
    private final Set<String> forgotten = new HashSet<>();
    private long forgets;

    /// @param namespace that entries are written to
    /// @param network of this cluster
    public StockEntries(KubeClient client, String namespace, String network, Timeline timeline) {
        this.client = client;
        this.namespace = namespace;
        this.network = network;
        this.work = new WorkQueue<String>(WORK, timeline, _ -> write(), this::failed).start("stock-entries");
    }

    /// It says nothing of what it exports.
    @Override
    public void follow(Consumer<ExportChange> exports, Supplier<Collection<OriginView>> views) {
        known = views;
        work.add(ALL);
    }

    @Override
    public void tell(OriginView view) {
        take(view);
        work.add(ALL);
    }

    private synchronized void take(OriginView view) {
        var cluster = view.cluster().cluster();
        var isAll = view.extent() == OriginView.Extent.ALL;
        var before = origins.get(cluster);
        var services =
                before == null || isAll ? new HashMap<String, ServiceSummary>() : new HashMap<>(before.services());
        services.keySet().removeAll(view.removedPaths());
        view.changed().forEach(service -> services.put(service.path(), service));
        origins.put(cluster, new EntryOrigin(view.cluster(), services));
        forgotten.remove(cluster);
        if (isAll) {
            complete.add(cluster);
        }
    }

    @Override
    public void forget(String cluster) {
        synchronized (this) {
            origins.remove(cluster);
            complete.remove(cluster);
            forgotten.add(cluster);
            forgets++;
        }
        work.add(ALL);
    }

    @Override
    public List<Problem> problems() {
        return Stream.of(trouble, excess).flatMap(Optional::stream).toList();
    }

    private WorkResult write() {
        if (!asked) {
            known.get().forEach(this::take); // from an earlier run of the program
            asked = true;
        }
        EntryPlan plan;
        Set<String> mayGo;
        long seen;
        synchronized (this) {
            seen = forgets;
            plan = EntryPlan.of(namespace, network, origins, EntryPlan.MOST);
            mayGo = new HashSet<>(forgotten);
            mayGo.addAll(complete);
        }
        excess = plan.problem();
        var refused = new ArrayList<Problem>();
        for (var kind : EntryKind.values()) {
            write(
                    kind,
                    plan.objects().stream()
                            .filter(object -> object.kind() == kind)
                            .toList(),
                    mayGo,
                    refused);
        }
        synchronized (this) {
            if (forgets == seen) { // else there is another run
                forgotten.clear();
            }
        }
        trouble = refused.stream().findFirst();
        work.addLater(ALL, RECHECK);
        return WorkResult.DONE;
    }

    private void write(EntryKind kind, List<EntryObject> wanted, Set<String> mayGo, List<Problem> refused) {
        var resource = RESOURCES.get(kind);
        if (resource == null) {
            return;
        }
        var there = new HashMap<String, KubeObject>();
        client.list(KubeQuery.all(resource)
                        .inNamespace(namespace)
                        .withLabels(PeerManifest.MANAGED_BY + "=" + PeerManifest.MANAGER))
                .items()
                .forEach(object -> there.put(object.name(), object));
        for (var object : wanted) {
            var before = there.remove(object.name());
            if (before == null && isTaken(resource, object.name())) {
                refused.add(Problem.ofInput(
                        "entry-taken",
                        kind.title() + " " + namespace + "/" + object.name()
                                + " is somebody else's, and has the name of an entry of the fleet",
                        "rename it, or delete it"));
            } else if (before == null || !isAs(before, object)) {
                apply(resource, object, refused);
            }
        }
        var gone = new ArrayList<String>();
        there.forEach((name, object) -> {
            if (mayGo(object, mayGo)) {
                client.delete(resource, namespace, name);
                gone.add(name);
            }
        });
        if (!gone.isEmpty()) {
            log.atInfo()
                    .addKeyValue("kind", kind.title())
                    .addKeyValue("count", gone.size())
                    .log("entries removed");
        }
    }

    /// One that is refused does not keep the others from being written.
    private void apply(KubeResource resource, EntryObject object, List<Problem> refused) {
        try {
            var _ = client.apply(resource, namespace, object.name(), object.content(), PeerManifest.MANAGER);
        } catch (ProblemException e) {
            if (e.problem().retry() == Problem.Retry.SENSIBLE) {
                throw e;
            }
            refused.add(e.problem());
        }
    }

    /// Whether something of that name is somebody else's.
    private boolean isTaken(KubeResource resource, String name) {
        return client.get(resource, namespace, name)
                .filter(there -> !there.metadata()
                        .at("labels")
                        .textMap()
                        .getOrDefault(PeerManifest.MANAGED_BY, "")
                        .equals(PeerManifest.MANAGER))
                .isPresent();
    }

    /// Whether all clusters that had it have left, or say that they have it no more.
    private static boolean mayGo(KubeObject object, Set<String> mayGo) {
        return Stream.of(origins(object.root()).split(",", -1)).allMatch(mayGo::contains);
    }

    private static String origins(Field object) {
        return object.at("metadata").at("annotations").textMap().getOrDefault(EntryObject.ORIGIN, "");
    }

    private static boolean isAs(KubeObject there, EntryObject wanted) {
        var root = Field.root(wanted.content());
        return origins(there.root()).equals(origins(root))
                && Json.pretty(there.root().at("spec").tree())
                        .equals(Json.pretty(root.at("spec").tree()))
                && there.metadata()
                        .at("labels")
                        .textMap()
                        .entrySet()
                        .containsAll(root.at("metadata").at("labels").textMap().entrySet());
    }

    private void failed(String key, WorkQueue.Failure failure) {
        trouble = Optional.of(failure.problem());
        if (failure.isNew()) {
            log.atWarn()
                    .addKeyValue("code", failure.problem().code())
                    .addKeyValue("problem", failure.problem())
                    .log("entries for the control plane cannot be written");
        }
    }

    @Override
    public void close() {
        work.close();
    }
}
