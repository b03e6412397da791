// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.WorkQueue;
import io.fathom.base.work.WorkSettings;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.control.revision.RevisionTags;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.gateway.GatewayManifest.ParametersRef;
import io.fathom.wire.kube.manifest.Metadata.Lifecycle;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Turns Gateways into running proxies, and says in their status what became of that.
///
/// It has two duties that different replicas may have: to deploy, and to report. Without any it does nothing. When one
/// begins everything is looked at once; later only those whose row of the flow changes, and those whose objects do. Any
/// thread may call any method; the work is done on virtual threads.
public final class GatewayController implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(GatewayController.class);
    private static final WorkSettings WORK = new WorkSettings(
            4,
            Duration.ofMillis(500),
            Duration.ofMinutes(1),
            WorkSettings.FOR_EVER,
            Optional.empty(),
            Duration.ofSeconds(10));
    /// How long a status waits for what it depends on and has not been read: it comes by itself, unless we may not read
    /// it.
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final KubeClient client;
    private final DeploySettings settings;
    private final RevisionTags tags;
    private final AmbientMesh mesh;
    private final GatewayTables tables;
    private final Timeline timeline;
    private final GatewayPlanner planner;
    private final ClassKeeper classes;
    private final Deployer deployer;
    private final StatusWriter writer;
    private final AutoCloseable subscription;
    private final Map<Target, Problem> refusals = new ConcurrentHashMap<>();
    private final Set<Target> awaited = ConcurrentHashMap.newKeySet();
    private final Map<Duty, DutyState> duties = new EnumMap<>(Duty.class);
    private volatile String trustDomain = "";

    // guarded by this
    private @Nullable WorkQueue<Target> work;
    private @Nullable DeployedObjects objects;

    /// What only one replica does.
    public enum Duty {
        DEPLOY,
        REPORT
    }

    /// A duty is done under the read lock, and ended under the write lock: nothing of it happens after its end.
    private static final class DutyState {
        private final ReadWriteLock lock = new ReentrantReadWriteLock();
        private volatile boolean active;
    }

    /// @param tables on the flow of the mesh
    public GatewayController(
            KubeClient client,
            DeploySettings settings,
            RevisionTags tags,
            AmbientMesh mesh,
            GatewayTables tables,
            Timeline timeline) {
        this.client = client;
        this.settings = settings;
        this.tags = tags;
        this.mesh = mesh;
        this.tables = tables;
        this.timeline = timeline;
        this.planner = new GatewayPlanner(settings);
        this.classes = new ClassKeeper(client, settings, mesh::hasSeveralNetworks);
        this.deployer = new Deployer(client);
        this.writer = new StatusWriter(client);
        for (var duty : Duty.values()) {
            duties.put(duty, new DutyState());
        }
        tags.subscribe(this::refresh);
        subscription = mesh.subscribe(this::changed);
    }

    /// Does a duty until closed.
    public AutoCloseable begin(Duty duty) {
        synchronized (this) {
            if (duty == Duty.DEPLOY) {
                deployer.forget();
            }
            state(duty).active = true;
            if (objects == null) {
                work = new WorkQueue<Target>(WORK, timeline, this::look, GatewayController::failed).start("gateways");
                objects = DeployedObjects.open(client, settings, this::touched);
            }
        }
        followParameters();
        refresh();
        return () -> end(duty);
    }

    private void end(Duty duty) {
        var state = state(duty);
        state.lock.writeLock().lock();
        try {
            state.active = false;
        } finally {
            state.lock.writeLock().unlock();
        }
        DeployedObjects oldObjects;
        WorkQueue<Target> oldWork;
        synchronized (this) {
            if (duties.values().stream().anyMatch(other -> other.active)) {
                return;
            }
            oldObjects = objects;
            oldWork = work;
            objects = null;
            work = null;
        }
        if (oldObjects != null && oldWork != null) {
            oldObjects.close();
            oldWork.close();
        }
    }

    private void changed(Commit commit) {
        var rows = commit.changes(tables.rows());
        rows.forEach(change -> add(target(change.key())));
        if (rows.stream().anyMatch(GatewayController::joinsNetworks)) {
            add(Target.ofClass(GatewayProfile.EAST_WEST.className())); // wanted from now on
        }
        commit.changes(tables.classes())
                .forEach(change -> add(Target.ofClass(change.key().name())));
        if (rows.stream().anyMatch(GatewayController::changesParameters)) {
            followParameters();
        }
        var now = mesh.trustDomains().getFirst();
        if (!now.equals(trustDomain)) {
            trustDomain = now;
            refresh();
        }
    }

    private static boolean joinsNetworks(Change<ObjectKey, GatewayRow> change) {
        return change.current()
                .map(row -> row.verdict().profile())
                .filter(profile -> profile == GatewayProfile.EAST_WEST || profile == GatewayProfile.REMOTE)
                .isPresent();
    }

    private static boolean changesParameters(Change<ObjectKey, GatewayRow> change) {
        return !change.previous()
                .flatMap(GatewayController::parameters)
                .equals(change.current().flatMap(GatewayController::parameters));
    }

    /// The ConfigMap with overlays that a Gateway names.
    private static Optional<Target> parameters(GatewayRow row) {
        var gateway = row.verdict().gateway();
        return gateway.infrastructure()
                .parameters()
                .filter(ParametersRef::isConfigMap)
                .map(reference -> new Target(gateway.namespace(), reference.name()));
    }

    private void followParameters() {
        var wanted = new HashSet<Target>();
        mesh.cut().of(tables.rows()).forEach((_, row) -> parameters(row).ifPresent(wanted::add));
        current().ifPresent(seen -> seen.followParameters(wanted));
    }

    /// Objects of these Gateways are different now; possibly of all when there are none.
    private void touched(Set<Target> gateways) {
        if (gateways.isEmpty()) {
            refresh();
        } else {
            gateways.forEach(this::add);
        }
    }

    /// Everything may be different now: all Gateways, all classes, and those that should be there.
    private void refresh() {
        var cut = mesh.cut();
        cut.of(tables.classes()).forEach((key, _) -> add(Target.ofClass(key.name())));
        for (var profile : GatewayProfile.values()) {
            add(Target.ofClass(profile.className()));
        }
        cut.of(tables.rows()).forEach((key, _) -> add(target(key)));
    }

    private static Target target(ObjectKey key) {
        return new Target(key.namespace(), key.name());
    }

    private DutyState state(Duty duty) {
        var state = duties.get(duty);
        if (state == null) {
            throw new IllegalStateException("every duty has a state");
        }
        return state;
    }

    private synchronized Optional<DeployedObjects> current() {
        return Optional.ofNullable(objects);
    }

    private synchronized void add(Target target) {
        if (work != null) {
            work.add(target);
        }
    }

    private synchronized void addLater(Target target) {
        if (work != null) {
            work.addLater(target, PATIENCE);
        }
    }

    /// Each new problem once, not each attempt.
    private static void failed(Target target, WorkQueue.Failure failure) {
        if (failure.isNew()) {
            log.atWarn()
                    .addKeyValue("object", target)
                    .addKeyValue("code", failure.problem().code())
                    .addKeyValue("problem", failure.problem())
                    .log("cannot look after an object");
        }
    }

    private WorkQueue.WorkResult look(Target target) {
        current().filter(seen -> seen.isRead() && tags.areKnown()).ifPresent(seen -> {
            if (target.isClass()) {
                lookAtClass(target);
            } else {
                lookAtGateway(seen, target);
            }
        });
        return WorkQueue.WorkResult.DONE;
    }

    private ObjectKey key(Target target) {
        return new ObjectKey(tables.clusterId(), target.namespace(), target.name());
    }

    private void lookAtClass(Target target) {
        var found = mesh.cut().of(tables.classes()).find(key(target));
        during(Duty.DEPLOY, () -> classes.create(target.name(), found));
        found.ifPresent(own -> during(Duty.REPORT, () -> classes.report(target.name(), own, timeline.instant())));
    }

    private void lookAtGateway(DeployedObjects seen, Target target) {
        var found = mesh.cut().of(tables.rows()).find(key(target));
        if (found.isEmpty()) {
            deployer.forget(target);
            refusals.remove(target);
            awaited.remove(target);
            return;
        }
        var row = found.get();
        var gateway = row.verdict().gateway();
        if (gateway.metadata().lifecycle() == Lifecycle.TERMINATING || !tags.isOurs(row.revision())) {
            return;
        }
        var plan = plan(seen, row);
        if (plan.isEmpty()) {
            return; // a ConfigMap that it names has not been read yet
        }
        during(Duty.DEPLOY, () -> deploy(seen, target, row, plan.get()));
        if (row.verdict().unknown().isEmpty()) {
            awaited.remove(target);
        } else if (awaited.add(target)) {
            addLater(target);
            return;
        }
        during(Duty.REPORT, () -> report(target, row, plan.get()));
    }

    private Optional<Plan> plan(DeployedObjects seen, GatewayRow row) {
        try {
            var facts = new MeshFacts(row.network(), mesh.trustDomains().getFirst());
            var verdict = row.verdict();
            return seen.overlays(verdict.gateway())
                    .map(overlays -> planner.plan(DeployedGateway.of(verdict), verdict.profile(), overlays, facts));
        } catch (ProblemException e) {
            return Optional.of(new Plan.Refused(e.problem()));
        }
    }

    private void deploy(DeployedObjects seen, Target target, GatewayRow row, Plan plan) {
        var refusal = deployer.deploy(DeployedGateway.of(row.verdict()), plan, seen.ownedBy(target));
        if (refusal.isPresent()) {
            refusals.put(target, refusal.get());
        } else {
            refusals.remove(target);
        }
    }

    private void report(Target target, GatewayRow row, Plan plan) {
        var sight = switch (plan) {
            // another replica may be the one that deploys
            case Plan.Deploy _ ->
                new GatewaySight(
                        row,
                        Optional.empty(),
                        Optional.ofNullable(refusals.get(target)).or(row::foreign));
            case Plan.Nothing _ -> new GatewaySight(row, Optional.empty(), Optional.empty());
            case Plan.Refused(var problem) -> new GatewaySight(row, Optional.of(problem), Optional.empty());
        };
        writer.write(tables.planner().report(sight), timeline.instant());
    }

    /// Nothing when another replica has that duty.
    private void during(Duty duty, Runnable task) {
        var state = state(duty);
        state.lock.readLock().lock();
        try {
            if (state.active) {
                task.run();
            }
        } finally {
            state.lock.readLock().unlock();
        }
    }

    @Override
    public void close() {
        try {
            subscription.close();
        } catch (Exception e) {
            throw new IllegalStateException("a subscription of the flow ends without failing", e);
        }
    }
}
