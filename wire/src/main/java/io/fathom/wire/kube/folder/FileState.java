// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.wire.kube.manifest.ManifestProblem;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What is known of one file.
///
/// @param skipped the kinds of objects in it that are not read, one entry per object
record FileState(
        String file,
        long stamp,
        long hash,
        List<FileObject> held,
        List<ManifestProblem> problems,
        List<String> skipped) {
    static FileState unknown(String file) {
        return new FileState(file, Look.NO_STAMP, Look.NO_HASH, List.of(), List.of(), List.of());
    }

    FileState {
        held = List.copyOf(held);
        problems = List.copyOf(problems);
        skipped = List.copyOf(skipped);
    }

    /// Those of its objects that shall outlive a restart.
    Stream<KeptObjects.Kept> kept() {
        return held.stream()
                .flatMap(object ->
                        object.kept().stream().map(json -> new KeptObjects.Kept(object.file(), object.line(), json)));
    }

    FileState withStamp(long other) {
        return new FileState(file, other, hash, held, problems, skipped);
    }

    private boolean hasErrors() {
        return problems.stream().anyMatch(problem -> problem.severity() == ManifestProblem.Severity.ERROR);
    }

    /// Whether the next state is worse than this one: objects missing or no longer readable, or new mistakes. It may
    /// only be half written.
    boolean losesTo(FileState next) {
        if (next.held.equals(held) && next.problems.equals(problems)) {
            return false;
        }
        if (next.hasErrors() && !next.problems.equals(problems)) {
            return true;
        }
        var fresh = next.held.stream()
                .filter(object -> object.claim() == FileObject.Claim.FRESH)
                .map(FileObject::id)
                .collect(Collectors.toSet());
        return !held.stream().map(FileObject::id).allMatch(fresh::contains);
    }
}
