// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.deploy.PlannedObject.ObjectName;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.ParametersRef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Follows what nobody but the deployment of Gateways reads: the objects that were deployed for them, and ConfigMaps
/// with overlays, those of Gateways one by one as these name them. Any thread; the sink is called by the threads of the
/// watches, with the Gateways that something concerns, or with nothing when it may be all of them.
final class DeployedObjects implements AutoCloseable {
    private final KubeClient client;
    private final DeploySettings settings;
    private final Consumer<Set<Target>> sink;

    // guarded by this
    private final Map<ObjectName, Owned> owned = new HashMap<>();
    private final Map<String, ClassDefaults> defaults = new TreeMap<>();
    private final Map<Target, Optional<Map<String, String>>> parameters = new HashMap<>();
    private final Map<Target, ObjectWatch> parameterWatches = new HashMap<>();
    private final List<ObjectWatch> watches = new ArrayList<>();
    private int missing;

    /// A ConfigMap with overlays for all Gateways of a class.
    private record ClassDefaults(String className, String created, Map<String, String> data) {
        static ClassDefaults of(KubeObject object) {
            return new ClassDefaults(
                    object.metadata()
                            .at("labels")
                            .at(GatewayLabels.DEFAULTS_FOR_CLASS)
                            .text(),
                    object.metadata().at("creationTimestamp").text(),
                    object.root().at("data").textMap());
        }
    }

    private DeployedObjects(KubeClient client, DeploySettings settings, Consumer<Set<Target>> sink) {
        this.client = client;
        this.settings = settings;
        this.sink = sink;
    }

    static DeployedObjects open(KubeClient client, DeploySettings settings, Consumer<Set<Target>> sink) {
        var objects = new DeployedObjects(client, settings, sink);
        synchronized (objects) {
            for (var kind : Kinds.values()) {
                if (kind != Kinds.DAEMON_SET) {
                    objects.follow(
                            KubeQuery.all(kind.resource()).withLabels(GatewayLabels.MANAGED),
                            change -> objects.takeOwned(kind, change));
                }
            }
            objects.follow(
                    KubeQuery.all(KubeResource.CONFIG_MAPS)
                            .inNamespace(settings.systemNamespace())
                            .withLabels(GatewayLabels.DEFAULTS_FOR_CLASS),
                    objects::takeDefaults);
        }
        return objects;
    }

    /// What one change concerns; empty when it may be every Gateway.
    private interface Taker {
        Optional<Target> take(Change change);
    }

    private void follow(KubeQuery query, Taker taker) {
        missing++;
        watches.add(client.watch(query, new ObjectWatch.WatchSink() {
            private boolean seen; // only the watch's own thread

            @Override
            public void changed(List<Change> batch) {
                var touched = new HashSet<Target>();
                var all = false;
                synchronized (DeployedObjects.this) {
                    for (var change : batch) {
                        var target = taker.take(change);
                        all |= target.isEmpty();
                        target.ifPresent(touched::add);
                    }
                    if (!seen) {
                        seen = true;
                        missing--;
                        all = true;
                    }
                }
                if (all || !touched.isEmpty()) {
                    sink.accept(all ? Set.of() : touched);
                }
            }
        }));
    }

    private Optional<Target> takeOwned(Kinds kind, Change change) {
        return switch (change) {
            case Change.Put put -> {
                var found = Owned.of(put.object());
                owned.put(
                        new ObjectName(
                                kind, put.object().namespace(), put.object().name()),
                        found);
                yield Optional.of(new Target(put.object().namespace(), found.gateway()));
            }
            case Change.Remove gone -> {
                var before = owned.remove(new ObjectName(kind, gone.namespace(), gone.name()));
                yield Optional.ofNullable(before).map(old -> new Target(gone.namespace(), old.gateway()));
            }
        };
    }

    private Optional<Target> takeDefaults(Change change) {
        switch (change) {
            case Change.Put put -> defaults.put(put.object().name(), ClassDefaults.of(put.object()));
            case Change.Remove gone -> defaults.remove(gone.name());
        }
        return Optional.empty();
    }

    /// Whether everything has been read once.
    synchronized boolean isRead() {
        return missing == 0;
    }

    synchronized Map<ObjectName, Owned> ownedBy(Target gateway) {
        var some = new HashMap<ObjectName, Owned>();
        owned.forEach((name, object) -> {
            if (gateway.equals(new Target(name.namespace(), object.gateway()))) {
                some.put(name, object);
            }
        });
        return some;
    }

    /// The overlays of a Gateway in their order. Empty while a ConfigMap that it names has not been looked for yet.
    ///
    /// @throws ProblemException when one cannot be used
    synchronized Optional<List<Overlay>> overlays(GatewayManifest gateway) {
        var overlays = new ArrayList<Overlay>();
        defaults.entrySet().stream()
                .filter(entry -> entry.getValue().className().equals(gateway.className()))
                .min(Comparator.<Map.Entry<String, ClassDefaults>, String>comparing(
                                entry -> entry.getValue().created())
                        .thenComparing(Map.Entry::getKey))
                .ifPresent(entry -> overlays.add(Overlay.parse(
                        "ConfigMap " + settings.systemNamespace() + "/" + entry.getKey(),
                        entry.getValue().data())));
        var reference = gateway.infrastructure().parameters();
        if (reference.isEmpty()) {
            return Optional.of(overlays);
        }
        return parameters(gateway, reference.get()).map(own -> {
            overlays.add(own);
            return overlays;
        });
    }

    private Optional<Overlay> parameters(GatewayManifest gateway, ParametersRef reference) {
        var known = parameters.get(new Target(gateway.namespace(), reference.name()));
        return known == null && reference.isConfigMap()
                ? Optional.empty() // not listed yet
                : Optional.of(Overlay.of(gateway, reference, known == null ? Optional.empty() : known));
    }

    /// Follows these ConfigMaps with overlays and no others.
    synchronized void followParameters(Set<Target> wanted) {
        for (var configMap : wanted) {
            parameterWatches.computeIfAbsent(configMap, this::parameterWatch);
        }
        for (var configMap : List.copyOf(parameterWatches.keySet())) {
            if (!wanted.contains(configMap)) {
                Optional.ofNullable(parameterWatches.remove(configMap)).ifPresent(DeployedObjects::end);
                parameters.remove(configMap);
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
            synchronized (this) {
                if (!parameterWatches.containsKey(configMap)) {
                    return; // its end is near
                }
                parameters.put(configMap, data);
            }
            sink.accept(Set.of());
        });
    }

    /// Its thread may wait for us: it is not waited for.
    private static void end(ObjectWatch watch) {
        Thread.startVirtualThread(watch::close);
    }

    @Override
    public void close() {
        List<ObjectWatch> all;
        synchronized (this) {
            all = new ArrayList<>(watches);
            all.addAll(parameterWatches.values());
            parameterWatches.clear();
        }
        all.forEach(ObjectWatch::close);
    }
}
