// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.wire.kube.Ages;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Works out what a file holds from a look at it and from what it held before.
///
/// What an object's mistake or an unintelligible document may have taken away stays as it was.
final class LastGoodReader {
    private final ManifestReader reader;
    private final Ages ages;

    LastGoodReader(ManifestReader reader, Ages ages) {
        this.reader = reader;
        this.ages = ages;
    }

    FileState read(FileState before, Look look) {
        return switch (look) {
            case Look.Missing _ -> FileState.unknown(before.file());
            case Look.Unchanged(var stamp) -> before.withStamp(stamp);
            case Look.Faulty(var stamp, var problem) -> {
                var content = new Content(before.file());
                content.problems.add(problem);
                content.vague = true;
                yield content.over(before, stamp, Look.NO_HASH);
            }
            case Look.Loaded(var stamp, var hash, var documents) -> {
                var content = new Content(before.file());
                documents.forEach(document -> read(document, content));
                yield content.over(before, stamp, hash);
            }
        };
    }

    private void read(Document document, Content content) {
        switch (document) {
            case Document.Broken(var cause) -> {
                content.problems.add(ManifestProblem.of(cause, ""));
                content.vague = true;
            }
            case Document.Parsed(var root) -> reader.read(root, ages).forEach(content::add);
        }
    }

    /// What files held before this program was started; of objects that can still be read.
    Map<String, FileState> restore(List<KeptObjects.Kept> objects) {
        var files = new LinkedHashMap<String, List<FileObject>>();
        for (var kept : objects) {
            for (var reading : reader.read(Json.parse(kept.file(), kept.object()), ages)) {
                if (reading instanceof Reading.Good good) {
                    files.computeIfAbsent(kept.file(), _ -> new ArrayList<>())
                            .add(held(kept.file(), kept.line(), good).keptAs(FileObject.Claim.PERHAPS));
                }
            }
        }
        var states = new LinkedHashMap<String, FileState>();
        files.forEach((file, held) ->
                states.put(file, new FileState(file, Look.NO_STAMP, Look.NO_HASH, held, List.of(), List.of())));
        return states;
    }

    private static FileObject held(String file, int line, Reading.Good good) {
        var manifest = good.manifest();
        return new FileObject(
                file,
                ManifestId.of(manifest),
                manifest,
                line,
                FileObject.Claim.FRESH,
                manifest.protects() ? Optional.of(Json.compact(good.object())) : Optional.empty());
    }

    /// What was found in a file so far.
    private static final class Content {
        private final String file;
        private final Map<ManifestId, FileObject> fresh = new LinkedHashMap<>();
        private final Set<ManifestId> broken = new HashSet<>();
        private final List<ManifestProblem> problems = new ArrayList<>();
        private final List<String> skipped = new ArrayList<>();
        private boolean vague;

        private Content(String file) {
            this.file = file;
        }

        private void add(Reading reading) {
            switch (reading) {
                case Reading.Good good -> {
                    problems.addAll(good.problems());
                    add(held(file, good.line(), good));
                }
                case Reading.Skipped(var kind, var remarks) -> {
                    problems.addAll(remarks);
                    skipped.add(kind);
                }
                case Reading.Bad(var mistakes, var id) -> {
                    problems.addAll(mistakes);
                    id.ifPresentOrElse(broken::add, () -> vague = true);
                }
            }
        }

        private void add(FileObject object) {
            var first = fresh.putIfAbsent(object.id(), object);
            if (first != null) {
                problems.add(object.duplicateOf(first));
            }
        }

        private FileState over(FileState before, long stamp, long hash) {
            var held = new ArrayList<>(fresh.values());
            for (var object : before.held()) {
                if (fresh.containsKey(object.id())) {
                    continue;
                }
                if (broken.contains(object.id())) {
                    held.add(object.keptAs(FileObject.Claim.LAST_GOOD));
                } else if (vague) {
                    held.add(object.keptAs(FileObject.Claim.PERHAPS));
                } else {
                    continue;
                }
                object.kept().ifPresent(_ -> problems.add(object.inForce()));
            }
            return new FileState(file, stamp, hash, held, problems, skipped);
        }
    }
}
