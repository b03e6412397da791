package io.fathom.wire.kube.api;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestProblem;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The manifests that an API server holds, as they are now and as they change: what a folder gives, from a cluster.
///
/// The first batch is the complete state of all queries, possibly empty, and comes once all of them are known; later
/// ones
/// hold differences only. An object that cannot be read keeps its last good state and is listed by [#problems()]. The
/// sink is called by one thread at a time, never after [#close()] has returned. The other methods may be called by any
/// thread.
public final class ClusterSource implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ClusterSource.class);

    private record Key(KubeResource resource, String namespace, String name) {}

    private final InstantSource clock;
    private final Consumer<List<ManifestChange>> sink;
    private final ManifestReader reader;
    private final List<ObjectWatch> watches = new ArrayList<>();
    private final Map<Key, ManifestId> given = new HashMap<>();
    private final Map<String, ManifestProblem> problems = new TreeMap<>();
    private final List<ManifestChange> early = new ArrayList<>();
    private int missing;

    private ClusterSource(ReaderConfig config, int queries, InstantSource clock, Consumer<List<ManifestChange>> sink) {
        this.reader = new ManifestReader(config);
        this.missing = queries;
        this.clock = clock;
        this.sink = sink;
    }

    /// Starts following at once. Whatever the server does not give is asked for again, without end.
    public static ClusterSource open(
            KubeClient client,
            List<KubeQuery> queries,
            ReaderConfig config,
            InstantSource clock,
            Consumer<List<ManifestChange>> sink) {
        var source = new ClusterSource(config, queries.size(), clock, sink);
        synchronized (source) {
            for (var query : queries) {
                source.watches.add(client.watch(query, source.sinkOf(query)));
            }
        }
        return source;
    }

    /// Whether the first batch has been delivered.
    public synchronized boolean isSynced() {
        return missing == 0;
    }

    /// Objects that could not be read.
    public synchronized List<ManifestProblem> problems() {
        return List.copyOf(problems.values());
    }

    /// Why some kinds are not followed at the moment.
    public synchronized List<Problem> trouble() {
        return watches.stream().flatMap(watch -> watch.trouble().stream()).toList();
    }

    private ObjectWatch.Sink sinkOf(KubeQuery query) {
        return new ObjectWatch.Sink() {
            private boolean seen; // guarded by the source

            @Override
            public void changed(List<Change> batch) {
                synchronized (ClusterSource.this) {
                    var first = !seen;
                    seen = true;
                    take(query.resource(), batch, first ? 1 : 0);
                }
            }
        };
    }

    private void take(KubeResource resource, List<Change> batch, int completed) {
        var waited = missing > 0;
        missing -= completed;
        for (var change : batch) {
            switch (change) {
                case Change.Put put -> put(resource, put.object());
                case Change.Remove gone -> remove(new Key(resource, gone.namespace(), gone.name()));
            }
        }
        if (missing == 0 && (waited || !early.isEmpty())) {
            var ready = List.copyOf(early);
            early.clear();
            sink.accept(ready);
        }
    }

    private void put(KubeResource resource, KubeObject object) {
        var key = new Key(resource, object.namespace(), object.name());
        for (var reading : reader.read(object.tree(), _ -> clock.instant())) {
            switch (reading) {
                case Reading.Good good -> {
                    problems.remove(key.toString());
                    given.put(key, ManifestId.of(good.manifest()));
                    early.add(new ManifestChange.Put(good.manifest()));
                }
                case Reading.Skipped _ -> remove(key);
                case Reading.Bad bad -> {
                    problems.put(key.toString(), bad.problem());
                    log.atWarn().addKeyValue("problem", bad.problem()).log("an object cannot be read");
                }
            }
        }
    }

    private void remove(Key key) {
        problems.remove(key.toString());
        var id = given.remove(key);
        if (id != null) {
            early.add(new ManifestChange.Remove(id.kind(), id.key()));
        }
    }

    @Override
    public void close() {
        List<ObjectWatch> all;
        synchronized (this) {
            all = List.copyOf(watches);
        }
        all.forEach(ObjectWatch::close);
    }
}
