package io.fathom.control.deploy;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.control.deploy.AttachedRoutes.Place;
import io.fathom.control.deploy.GatewaySight.Proxies;
import io.fathom.control.deploy.PlannedObject.ObjectName;
import io.fathom.control.revision.RevisionTags;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Turns Gateways into running proxies, and says in their status what became of that.
///
/// It has two duties that different replicas may have: to deploy, and to report. Without any it watches nothing. When
/// one begins everything is looked at once; later only what a change concerns. Any thread may call any method; the work
/// is done on virtual threads.
public final class GatewayController {
    private static final int THREADS = 4;
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

    private final KubeClient client;
    private final DeploySettings settings;
    private final RevisionTags tags;
    private final Supplier<String> trustDomain;
    private final AttachedRoutes routes;
    private final Timeline timeline;
    private final GatewayPlanner planner;
    private final StatusPlanner statusPlanner;
    private final ClassKeeper classes;
    private final Deployer deployer;
    private final StatusWriter writer;
    private final Map<Target, Problem> refusals = new ConcurrentHashMap<>();
    private final Map<Duty, DutyState> duties = new EnumMap<>(Duty.class);

    // guarded by this
    private @Nullable KeyedWork<Target> work;
    private @Nullable GatewayWatches watches;

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

    /// What there is to know about a Gateway of ours, at one moment.
    ///
    /// @param verdict whether its listeners could be judged
    private record View(GatewaySight sight, Map<ObjectName, Owned> owned, Verdict verdict) {}

    private enum Verdict {
        COMPLETE,
        PENDING
    }

    public GatewayController(
            KubeClient client,
            DeploySettings settings,
            RevisionTags tags,
            Supplier<String> trustDomain,
            AttachedRoutes routes,
            Timeline timeline) {
        this.client = client;
        this.settings = settings;
        this.tags = tags;
        this.trustDomain = trustDomain;
        this.routes = routes;
        this.timeline = timeline;
        this.planner = new GatewayPlanner(settings);
        this.statusPlanner = new StatusPlanner(settings.domain());
        this.classes = new ClassKeeper(client, settings);
        this.deployer = new Deployer(client);
        this.writer = new StatusWriter(client);
        for (var duty : Duty.values()) {
            duties.put(duty, new DutyState());
        }
        tags.subscribe(this::refresh);
    }

    /// Does a duty until closed.
    public AutoCloseable begin(Duty duty) {
        synchronized (this) {
            switch (duty) {
                case DEPLOY -> deployer.forget();
                case REPORT -> writer.forget();
            }
            state(duty).active = true;
            if (watches == null) {
                work = new KeyedWork<>("gateways", THREADS, timeline, this::look);
                watches = GatewayWatches.open(client, settings, tags, this::add);
            }
        }
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
        GatewayWatches oldWatches;
        KeyedWork<Target> oldWork;
        synchronized (this) {
            if (duties.values().stream().anyMatch(other -> other.active)) {
                return;
            }
            oldWatches = watches;
            oldWork = work;
            watches = null;
            work = null;
        }
        if (oldWatches != null && oldWork != null) {
            oldWatches.close();
            oldWork.close();
        }
    }

    /// Everything may be different now.
    public void refresh() {
        current().flatMap(seen -> seen.ask(GatewayWorld::all)).ifPresent(this::add);
    }

    /// Something about this Gateway may be different now, such as how many routes it has.
    public void refresh(String namespace, String gateway) {
        add(Set.of(new Target(namespace, gateway)));
    }

    private DutyState state(Duty duty) {
        var state = duties.get(duty);
        if (state == null) {
            throw new IllegalStateException("every duty has a state");
        }
        return state;
    }

    private synchronized Optional<GatewayWatches> current() {
        return Optional.ofNullable(watches);
    }

    private synchronized void add(Set<Target> targets) {
        if (work != null) {
            targets.forEach(work::add);
        }
    }

    private synchronized void lookAgain(Target target) {
        if (work != null) {
            work.addLater(target, LOOK_AGAIN);
        }
    }

    private void look(Target target) {
        var seen = current();
        if (seen.isPresent()) {
            if (target.isClass()) {
                lookAtClass(seen.get(), target);
            } else {
                lookAtGateway(seen.get(), target);
            }
        }
    }

    private void lookAtClass(GatewayWatches seen, Target target) {
        var found = seen.ask(world -> world.gatewayClass(target.name()));
        if (found.isPresent()) {
            during(Duty.DEPLOY, () -> classes.create(target.name(), found.get()));
            found.get()
                    .ifPresent(
                            own -> during(Duty.REPORT, () -> classes.report(target.name(), own, timeline.instant())));
        }
    }

    private void lookAtGateway(GatewayWatches seen, Target target) {
        if (seen.ask(world -> world.gateway(target).isEmpty()).orElse(false)) {
            deployer.forget(target);
            writer.forget(target);
            refusals.remove(target);
            return;
        }
        var view = seen.ask(world -> view(world, target)).flatMap(found -> found);
        if (view.isEmpty()) {
            return;
        }
        during(Duty.DEPLOY, () -> deploy(target, view.get()));
        if (view.get().verdict() == Verdict.PENDING) {
            lookAgain(target); // it comes by itself, unless we may not read what it needs
        } else {
            during(Duty.REPORT, () -> report(target, view.get().sight()));
        }
    }

    /// Empty for Gateways of others, and while something that counts has not been read yet.
    private Optional<View> view(GatewayWorld world, Target target) {
        var gateway = world.gateway(target).filter(found -> found.phase() == GatewayObject.Phase.LIVING);
        var profile = gateway.filter(world::isOurs).flatMap(world::profile);
        if (gateway.isEmpty() || profile.isEmpty()) {
            return Optional.empty();
        }
        var verdicts = ListenerVerdicts.of(
                gateway.get(),
                world.listenerSets(target),
                set -> world.allows(gateway.get(), set),
                profile.get(),
                world);
        var whole = gateway.get().withListeners(verdicts.listeners());
        return plan(world, whole, profile.get()).map(plan -> {
            var owned = world.ownedBy(target);
            var service = new ObjectName(
                    Kinds.SERVICE, target.namespace(), gateway.get().objectName(profile.get()));
            return new View(
                    new GatewaySight(
                            gateway.get(),
                            profile.get(),
                            plan,
                            verdicts,
                            BackendCertificate.finding(gateway.get(), world),
                            Optional.ofNullable(refusals.get(target)),
                            Optional.ofNullable(owned.get(service)).flatMap(Owned::service),
                            world.hasReadyPod(target) ? Proxies.READY : Proxies.NOT_READY,
                            List.of()),
                    owned,
                    world.canJudge(gateway.get()) ? Verdict.COMPLETE : Verdict.PENDING);
        });
    }

    private Optional<Plan> plan(GatewayWorld world, GatewayObject gateway, GatewayProfile profile) {
        try {
            var facts = new MeshFacts(world.network(), trustDomain.get());
            return world.overlays(gateway).map(overlays -> planner.plan(gateway, profile, overlays, facts));
        } catch (ProblemException e) {
            return Optional.of(new Plan.Refused(e.problem()));
        }
    }

    private void deploy(Target target, View view) {
        var refusal = deployer.deploy(view.sight().gateway(), view.sight().plan(), view.owned());
        if (refusal.isPresent()) {
            refusals.put(target, refusal.get());
        } else {
            refusals.remove(target);
        }
    }

    private void report(Target target, GatewaySight sight) {
        var complete = switch (sight.plan()) {
            case Plan.Deploy _ -> withFailure(target, sight);
            case Plan.Nothing _ -> withNamedService(target, sight);
            case Plan.Refused _ -> sight;
        };
        var gateway = sight.gateway();
        var name = new AttachedRoutes.Name(gateway.namespace(), gateway.name());
        var status =
                statusPlanner.status(complete, listener -> routes.count(new Place(name, Optional.empty(), listener)));
        writer.write(gateway, status, timeline.instant());
        writer.forgetSetsBut(
                complete.sets().stream().map(set -> set.set().uid()).collect(Collectors.toSet()), target);
        for (var set : complete.sets()) {
            var own = set.set().target();
            var setName = new AttachedRoutes.Name(own.namespace(), own.name());
            var setStatus = ListenerSetStatus.of(
                    set, status, listener -> routes.count(new Place(name, Optional.of(setName), listener)));
            writer.write(set.set(), setStatus, timeline.instant());
        }
    }

    /// With what stands in the way now; another replica may be the one that deploys.
    private GatewaySight withFailure(Target target, GatewaySight sight) {
        var refusal = Optional.ofNullable(refusals.get(target));
        if (sight.service().isEmpty() && refusal.isEmpty()) {
            var gateway = sight.gateway();
            var name = gateway.objectName(sight.profile());
            refusal = client.get(KubeResource.SERVICES, gateway.namespace(), name)
                    .filter(found -> Deployer.isForeign(gateway, found))
                    .map(_ -> Deployer.foreign(gateway, new ObjectName(Kinds.SERVICE, gateway.namespace(), name)));
        }
        return sight.withFailure(refusal);
    }

    /// A Gateway that runs already names its Service by host name. Services of others are not watched, so it is asked
    /// for again from time to time.
    private GatewaySight withNamedService(Target target, GatewaySight sight) {
        if (sight.profile() == GatewayProfile.REMOTE) {
            return sight;
        }
        var gateway = sight.gateway();
        lookAgain(target);
        var services = new ArrayList<ServiceView>();
        var unknown = new ArrayList<String>();
        for (var address : gateway.addresses()) {
            if (address.type().equals("Hostname")) {
                var parts = address.value().split("\\.", -1);
                var namespace = parts.length > 1 ? parts[1] : gateway.namespace();
                client.get(KubeResource.SERVICES, namespace, parts[0])
                        .map(ServiceView::of)
                        .ifPresentOrElse(services::add, () -> unknown.add(address.value()));
            }
        }
        return sight.withService(services.stream().findFirst(), unknown);
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
}
