// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestPlace;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Several folders as one source: of those that have an object, the last one counts. So a program can add to what
/// people write, such as the address of a Service, without touching their files.
///
/// The first batch is the complete state of all folders; later ones hold differences only. The sink is called by one
/// thread at a time, never after [#close()] has returned. The other methods may be called by any thread.
public final class FolderStack implements AutoCloseable {
    private final List<FolderSource> sources = new ArrayList<>();
    private final Stack stack;

    private FolderStack(Stack stack) {
        this.stack = stack;
    }

    /// Starts reading at once.
    ///
    /// @throws ProblemException when one is no folder
    public static FolderStack open(
            List<Path> folders,
            ReaderConfig reader,
            FolderConfig config,
            InstantSource clock,
            Consumer<List<ManifestChange>> sink) {
        var opened = new FolderStack(new Stack(folders.size(), config.addresses(), sink));
        try {
            for (int i = 0; i < folders.size(); i++) {
                int layer = i;
                opened.sources.add(FolderSource.open(
                        folders.get(i), reader, config, clock, batch -> opened.stack.apply(layer, batch)));
            }
        } catch (ProblemException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    /// What is wrong now, folder by folder, with what programs say about it. What one has copied from people's files,
    /// with its mistakes, is theirs.
    public List<ManifestProblem> problems() {
        var known = new HashSet<Mistake>();
        var problems = new ArrayList<ManifestProblem>();
        for (var source : sources) {
            var own = new ArrayList<>(source.problems());
            own.addAll(ProblemFile.in(source.root()).read());
            own.stream().filter(problem -> !known.contains(Mistake.of(problem))).forEach(problems::add);
            own.stream()
                    .filter(problem -> !problem.object().isEmpty())
                    .map(Mistake::of)
                    .forEach(known::add);
        }
        return List.copyOf(problems);
    }

    /// For tests.
    List<FolderSource> sources() {
        return sources;
    }

    /// A mistake, wherever it is written.
    private record Mistake(String object, String field, String code) {
        static Mistake of(ManifestProblem problem) {
            return new Mistake(
                    problem.object(), problem.field(), problem.problem().code());
        }
    }

    /// Where people wrote an object: in the first folder that has it.
    public Optional<ManifestPlace> place(ManifestId id) {
        return sources.stream().flatMap(source -> source.place(id).stream()).findFirst();
    }

    @Override
    public void close() {
        stack.close();
        sources.forEach(FolderSource::close);
    }

    /// What each folder has, and what was told of it.
    private static final class Stack {
        private final List<Map<ManifestId, Manifest>> layers = new ArrayList<>();
        private final Set<Integer> unread = new HashSet<>();
        private final Map<ManifestId, Manifest> told = new HashMap<>();
        private final Consumer<List<ManifestChange>> sink;
        private final Set<ManifestId> touched = new LinkedHashSet<>();
        private final FolderConfig.AddressPlanning addresses;
        private boolean closed;

        private Stack(int folders, FolderConfig.AddressPlanning addresses, Consumer<List<ManifestChange>> sink) {
            this.sink = sink;
            this.addresses = addresses;
            for (int i = 0; i < folders; i++) {
                layers.add(new HashMap<>());
                unread.add(i);
            }
        }

        synchronized void apply(int layer, List<ManifestChange> batch) {
            for (var change : batch) {
                switch (change) {
                    case ManifestChange.Put(var manifest) -> {
                        layers.get(layer).put(ManifestId.of(manifest), manifest);
                        touched.add(ManifestId.of(manifest));
                    }
                    case ManifestChange.Absent _ -> {} // folders are read as a whole
                    case ManifestChange.Remove(var kind, var key) -> {
                        var id = new ManifestId(kind, key);
                        layers.get(layer).remove(id);
                        touched.add(id);
                    }
                }
            }
            var first = unread.remove(layer) && unread.isEmpty();
            if (!unread.isEmpty() || closed) {
                return;
            }
            var changes = drain();
            if (first || !changes.isEmpty()) {
                sink.accept(changes);
            }
        }

        private List<ManifestChange> drain() {
            var changes = new ArrayList<ManifestChange>();
            for (var id : touched) {
                var now = uppermost(id);
                if (now.isPresent()) {
                    if (!now.get().equals(told.put(id, now.get()))) {
                        changes.add(new ManifestChange.Put(now.get()));
                    }
                } else if (told.remove(id) != null) {
                    changes.add(new ManifestChange.Remove(id.kind(), id.key()));
                }
            }
            touched.clear();
            return List.copyOf(changes);
        }

        private Optional<Manifest> uppermost(ManifestId id) {
            return layers.reversed().stream()
                    .filter(layer -> layer.containsKey(id))
                    .findFirst()
                    .filter(layer -> !waits(layer, id))
                    .map(layer -> layer.get(id));
        }

        @SuppressWarnings("ReferenceEquality") // folders may well have the same objects
        private boolean waits(Map<ManifestId, Manifest> layer, ManifestId id) {
            return addresses == FolderConfig.AddressPlanning.FROM_LATER_FOLDER
                    && layer != layers.getLast()
                    && layer.get(id) instanceof ServiceManifest service
                    && service.awaitsAddress();
        }

        synchronized void close() {
            closed = true;
        }
    }
}
