// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.wire.kube.Ages;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestPlace;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// All files merged by object: where several have the same, the first by path wins. Says what changed since it was
/// last asked. One thread only.
final class ManifestCatalog implements Ages {
    /// One object: who has it, and what was told of it.
    private static final class Slot {
        private List<FileObject> holders = List.of();
        private @Nullable Manifest told;
    }

    private final InstantSource clock;
    private final SortedMap<String, FileState> files = new TreeMap<>();
    private final Map<ManifestId, Slot> slots = new HashMap<>();
    private final Set<ManifestId> touched = new LinkedHashSet<>();
    private final Set<ManifestId> contested = new HashSet<>();
    private final Set<String> faulty = new HashSet<>();
    private final Set<String> doubted = new HashSet<>();
    private final SortedMap<String, Integer> skipped = new TreeMap<>();
    private final Map<ManifestId, ManifestPlace> places = new ConcurrentHashMap<>(); // read by any thread
    private Instant latest = Instant.EPOCH;

    ManifestCatalog(InstantSource clock) {
        this.clock = clock;
    }

    /// An object keeps the age it has; a new one is younger than all that came before it.
    @Override
    public Instant firstSeen(ManifestId id) {
        var slot = slots.get(id);
        if (slot != null && !slot.holders.isEmpty()) {
            return slot.holders.getFirst().manifest().metadata().created();
        }
        if (slot != null && slot.told != null) {
            return slot.told.metadata().created(); // it moves from one file to another
        }
        var now = clock.instant();
        latest = now.isAfter(latest) ? now : latest.plusNanos(1);
        return latest;
    }

    SortedMap<String, FileState> files() {
        return files;
    }

    FileState file(String file) {
        var state = files.get(file);
        return state == null ? FileState.unknown(file) : state;
    }

    /// The file was written again with the same content.
    void stamp(String file, long stamp) {
        files.computeIfPresent(file, (_, state) -> state.withStamp(stamp));
    }

    /// Replaces what a file holds.
    void put(FileState next) {
        doubted.remove(next.file());
        var before = files.put(next.file(), next);
        if (before != null) {
            withdraw(before);
        }
        next.held().forEach(this::offer);
        next.skipped().forEach(kind -> skipped.merge(kind, 1, Integer::sum));
        if (!next.problems().isEmpty()) {
            faulty.add(next.file());
        }
    }

    void remove(String file) {
        doubted.remove(file);
        var before = files.remove(file);
        if (before != null) {
            withdraw(before);
        }
    }

    /// The file looks as if it had lost objects: until that is certain, they yield to those of other files.
    void doubt(String file) {
        doubted.add(file);
        touchContested(file);
    }

    void trust(String file) {
        if (doubted.remove(file)) {
            touchContested(file);
        }
    }

    private void touchContested(String file) {
        file(file).held().stream()
                .map(FileObject::id)
                .filter(contested::contains)
                .forEach(touched::add);
    }

    private void offer(FileObject object) {
        var slot = slots.computeIfAbsent(object.id(), _ -> new Slot());
        if (slot.holders.isEmpty()) {
            slot.holders = List.of(object);
        } else {
            var holders = new ArrayList<>(slot.holders);
            holders.add(object);
            slot.holders = List.copyOf(holders);
            contested.add(object.id());
        }
        touched.add(object.id());
    }

    private void withdraw(FileState state) {
        for (var object : state.held()) {
            var slot = slots.get(object.id());
            if (slot != null) {
                slot.holders = slot.holders.stream()
                        .filter(holder -> !holder.file().equals(state.file()))
                        .toList();
                if (slot.holders.size() < 2) {
                    contested.remove(object.id());
                }
                touched.add(object.id());
            }
        }
        state.skipped().forEach(kind -> skipped.computeIfPresent(kind, (_, count) -> count == 1 ? null : count - 1));
        faulty.remove(state.file());
    }

    /// Sure holders before unsure ones, then in order of paths.
    private Comparator<FileObject> precedence() {
        return Comparator.<FileObject>comparingInt(object -> isSure(object) ? 0 : 1)
                .thenComparing(FileObject::file);
    }

    private boolean isSure(FileObject object) {
        return object.claim() != FileObject.Claim.PERHAPS && !doubted.contains(object.file());
    }

    /// What changed since the last call, in the order in which the files were put.
    List<ManifestChange> drain() {
        var changes = new ArrayList<ManifestChange>();
        for (var id : touched) {
            var slot = slots.get(id);
            if (slot == null) {
                continue;
            }
            if (slot.holders.isEmpty()) {
                slots.remove(id);
                places.remove(id);
                if (slot.told != null) {
                    changes.add(new ManifestChange.Remove(id.kind(), id.key()));
                }
                continue;
            }
            var winner = slot.holders.size() == 1
                    ? slot.holders.getFirst()
                    : slot.holders.stream().min(precedence()).orElseThrow();
            places.put(id, new ManifestPlace(winner.file(), winner.line()));
            var manifest = winner.manifest();
            if (!manifest.equals(slot.told)) {
                slot.told = manifest;
                changes.add(new ManifestChange.Put(manifest));
            }
        }
        touched.clear();
        return changes;
    }

    /// Where an object that was told of is. Any thread.
    Optional<ManifestPlace> place(ManifestId id) {
        return Optional.ofNullable(places.get(id));
    }

    /// All that is wrong now.
    List<ManifestProblem> problems() {
        var problems = new ArrayList<ManifestProblem>();
        faulty.forEach(file -> problems.addAll(file(file).problems()));
        for (var id : contested) {
            var slot = slots.get(id);
            if (slot != null) {
                var sure = slot.holders.stream()
                        .filter(this::isSure)
                        .sorted(precedence())
                        .toList();
                sure.stream().skip(1).forEach(loser -> problems.add(loser.duplicateOf(sure.getFirst())));
            }
        }
        problems.sort(ManifestProblem.BY_PLACE);
        return problems;
    }

    /// Objects that are not read, by kind.
    SortedMap<String, Integer> skipped() {
        return skipped;
    }

    int objects() {
        return slots.size();
    }
}
