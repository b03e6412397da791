package io.fathom.control.deploy;

import io.fathom.control.deploy.GatewayWorld.ClassDefaults;
import io.fathom.control.deploy.GatewayWorld.Reading;
import io.fathom.control.deploy.PlannedObject.ObjectName;
import io.fathom.control.revision.RevisionTags;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows what Gateways depend on, and tells which of them to look at again: nothing before all has been read once.
///
/// ConfigMaps with overlays or CA certificates are followed one by one, as Gateways name them; Secrets and
/// ReferenceGrants only once a
/// listener names a certificate. Any thread may ask; the sink is called by the threads of the watches.
final class GatewayWatches implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(GatewayWatches.class);

    private final KubeClient client;
    private final DeploySettings settings;
    private final RevisionTags tags;
    private final Consumer<Set<Target>> sink;
    private final GatewayObjects reader = new GatewayObjects();

    // guarded by this
    private final GatewayWorld world;
    private final List<ObjectWatch> watches = new ArrayList<>();
    private final Map<Target, ObjectWatch> parameterWatches = new HashMap<>();
    private final List<ObjectWatch> asides = new ArrayList<>();
    private final Set<Target> early = new HashSet<>();
    private int missing;
    private boolean certificates;
    private boolean closed;

    /// What one kind of change does to the world.
    private interface Effect {
        Set<Target> put(KubeObject object);

        Set<Target> remove(Target target);
    }

    private GatewayWatches(KubeClient client, DeploySettings settings, RevisionTags tags, Consumer<Set<Target>> sink) {
        this.client = client;
        this.settings = settings;
        this.tags = tags;
        this.sink = sink;
        this.world = new GatewayWorld(settings, tags::isOurs);
    }

    static GatewayWatches open(
            KubeClient client, DeploySettings settings, RevisionTags tags, Consumer<Set<Target>> sink) {
        var watches = new GatewayWatches(client, settings, tags, sink);
        watches.begin();
        return watches;
    }

    /// What the world says, at one moment. Empty until everything has been read once.
    synchronized <T> Optional<T> ask(Function<GatewayWorld, T> question) {
        if (!isRead()) {
            return Optional.empty();
        }
        world.certificatesAre(
                asides.stream().allMatch(ObjectWatch::isSynced) ? Reading.DONE : Reading.UNDER_WAY,
                asides.stream().flatMap(watch -> watch.trouble().stream()).findFirst());
        return Optional.of(question.apply(world));
    }

    private boolean isRead() {
        return missing == 0 && tags.areKnown() && !closed;
    }

    private synchronized void begin() {
        follow(KubeQuery.all(Kinds.LISTENER_SETS), effect((name, object) -> {
            var touched = world.putListenerSet(name, object.flatMap(reader::readSet));
            followWhatIsNamed();
            return touched;
        }));
        follow(KubeQuery.all(Kinds.GATEWAYS), new Effect() {
            @Override
            public Set<Target> put(KubeObject object) {
                return changed(world.put(Target.of(object), reader.read(object)));
            }

            @Override
            public Set<Target> remove(Target target) {
                return changed(world.put(target, Optional.empty()));
            }

            private Set<Target> changed(Set<Target> touched) {
                followWhatIsNamed();
                return touched;
            }
        });
        follow(
                KubeQuery.all(Kinds.GATEWAY_CLASSES),
                effect((name, object) -> world.putClass(name.name(), object.map(ClassView::of))));
        follow(
                KubeQuery.all(KubeResource.NAMESPACES),
                effect((name, object) -> world.putNamespace(name.name(), object.map(GatewayWatches::labels))));
        for (var kind : Kinds.values()) {
            if (kind != Kinds.DAEMON_SET) {
                follow(
                        KubeQuery.all(kind.resource()).withLabels(Words.MANAGED),
                        effect((name, object) -> world.putOwned(
                                new ObjectName(kind, name.namespace(), name.name()),
                                object.map(found -> Owned.of(kind, found)))));
            }
        }
        follow(
                KubeQuery.all(KubeResource.PODS).withLabels(Words.GATEWAY_NAME),
                effect((name, object) -> world.putPod(name, object.flatMap(GatewayWatches::readyFor))));
        follow(
                KubeQuery.all(KubeResource.CONFIG_MAPS)
                        .inNamespace(settings.systemNamespace())
                        .withLabels(Words.DEFAULTS_FOR_CLASS),
                effect((name, object) -> world.putDefaults(name.name(), object.map(GatewayWatches::defaults))));
    }

    private void followWhatIsNamed() {
        if (!certificates && world.wantsCertificates()) {
            certificates = true;
            var secrets = KubeQuery.all(KubeResource.SECRETS).withFields("type=kubernetes.io/tls");
            followAside(
                    secrets,
                    effect((name, object) -> object.isPresent()
                            ? world.putSecret(name, SecretCheck.fault(object.get()))
                            : world.removeSecret(name)));
            followAside(
                    KubeQuery.all(Kinds.REFERENCE_GRANTS),
                    effect((name, object) -> world.putGrant(name, object.map(Grant::of))));
        }
        var wanted = world.wantedParameters();
        for (var configMap : wanted) {
            if (!parameterWatches.containsKey(configMap)) {
                parameterWatches.put(configMap, parameterWatch(configMap));
            }
        }
        for (var configMap : List.copyOf(parameterWatches.keySet())) {
            if (!wanted.contains(configMap)) {
                Optional.ofNullable(parameterWatches.remove(configMap)).ifPresent(GatewayWatches::end);
                world.forgetParameters(configMap);
            }
        }
    }

    private ObjectWatch parameterWatch(Target configMap) {
        var query = KubeQuery.all(KubeResource.CONFIG_MAPS)
                .inNamespace(configMap.namespace())
                .withFields("metadata.name=" + configMap.name());
        return client.watch(query, batch -> {
            Optional<Map<String, String>> data = Optional.empty();
            for (var change : batch) {
                data = change instanceof Change.Put put
                        ? Optional.of(put.object().root().at("data").textMap())
                        : Optional.empty();
            }
            Set<Target> touched;
            synchronized (this) {
                if (!parameterWatches.containsKey(configMap)) {
                    return; // its end is near
                }
                touched = world.putParameters(configMap, data);
            }
            tell(touched);
        });
    }

    /// Its thread may wait for us: it is not waited for.
    private static void end(ObjectWatch watch) {
        Thread.startVirtualThread(watch::close);
    }

    private void follow(KubeQuery query, Effect effect) {
        missing++;
        watches.add(client.watch(query, sink(query, effect, 1)));
    }

    /// Without it the rest goes on: we may not be allowed to read it.
    private void followAside(KubeQuery query, Effect effect) {
        asides.add(client.watch(query, sink(query, effect, 0)));
    }

    private ObjectWatch.Sink sink(KubeQuery query, Effect effect, int waitedFor) {
        return new ObjectWatch.Sink() {
            private boolean seen; // only the watch's own thread

            @Override
            public void changed(List<Change> batch) {
                var touched = new HashSet<Target>();
                synchronized (GatewayWatches.this) {
                    batch.forEach(change -> touched.addAll(apply(query, effect, change)));
                    if (!seen) {
                        seen = true;
                        missing -= waitedFor;
                        touched.addAll(world.all());
                    }
                }
                tell(touched);
            }
        };
    }

    private static Set<Target> apply(KubeQuery query, Effect effect, Change change) {
        try {
            return switch (change) {
                case Change.Put put -> effect.put(put.object());
                case Change.Remove gone -> effect.remove(new Target(gone.namespace(), gone.name()));
            };
        } catch (MisreadException e) {
            log.atWarn()
                    .addKeyValue("query", query)
                    .addKeyValue("problem", e.getMessage())
                    .log("an object makes no sense and is not looked at");
            return Set.of();
        }
    }

    private void tell(Set<Target> touched) {
        Set<Target> all;
        synchronized (this) {
            early.addAll(touched);
            if (!isRead() || early.isEmpty()) {
                return;
            }
            all = Set.copyOf(early);
            early.clear();
        }
        sink.accept(all);
    }

    /// The same for new, changed and removed objects.
    private interface Setter {
        Set<Target> set(Target name, Optional<KubeObject> object);
    }

    private static Effect effect(Setter setter) {
        return new Effect() {
            @Override
            public Set<Target> put(KubeObject object) {
                return setter.set(Target.of(object), Optional.of(object));
            }

            @Override
            public Set<Target> remove(Target target) {
                return setter.set(target, Optional.empty());
            }
        };
    }

    private static Map<String, String> labels(KubeObject object) {
        return object.metadata().at("labels").textMap();
    }

    private static ClassDefaults defaults(KubeObject object) {
        return new ClassDefaults(
                labels(object).getOrDefault(Words.DEFAULTS_FOR_CLASS, ""),
                object.metadata().at("creationTimestamp").text(),
                object.root().at("data").textMap());
    }

    /// The Gateway that a ready pod belongs to.
    private static Optional<Target> readyFor(KubeObject pod) {
        var ready = pod.root().at("status").at("conditions").items().stream()
                .anyMatch(condition -> condition.at("type").text().equals("Ready")
                        && condition.at("status").text().equals("True"));
        return ready && !pod.isDeleting()
                ? Optional.of(new Target(pod.namespace(), labels(pod).getOrDefault(Words.GATEWAY_NAME, "")))
                : Optional.empty();
    }

    @Override
    public void close() {
        List<ObjectWatch> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(watches);
            all.addAll(asides);
            all.addAll(parameterWatches.values());
        }
        all.forEach(ObjectWatch::close);
    }
}
