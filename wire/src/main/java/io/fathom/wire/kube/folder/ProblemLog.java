// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The current problems, logged once when they come and once when they are gone. Written by one thread, read by any.
final class ProblemLog {
    private static final Logger log = LoggerFactory.getLogger(ProblemLog.class);

    private volatile List<ManifestProblem> current = List.of();

    List<ManifestProblem> current() {
        return current;
    }

    void update(List<ManifestProblem> next) {
        if (next.equals(current)) {
            return;
        }
        var before = byIdentity(current);
        var after = byIdentity(next);
        after.forEach((identity, problem) -> {
            if (!before.containsKey(identity)) {
                log.atWarn()
                        .addKeyValue("code", problem.problem().code())
                        .addKeyValue("file", problem.file())
                        .log(
                                problem.severity() == Severity.ERROR ? "manifest refused: {}" : "manifest doubtful: {}",
                                problem);
            }
        });
        before.forEach((identity, problem) -> {
            if (!after.containsKey(identity)) {
                log.atInfo()
                        .addKeyValue("code", problem.problem().code())
                        .addKeyValue("file", problem.file())
                        .log(
                                "manifest problem is gone: {}",
                                identity.object().isEmpty()
                                        ? problem.file()
                                        : problem.file() + ": " + problem.object());
            }
        });
        current = List.copyOf(next); // last: whoever sees it finds it in the log, too
    }

    /// The same problem on another line is no news.
    private static Map<ManifestProblem, ManifestProblem> byIdentity(List<ManifestProblem> problems) {
        var byIdentity = new HashMap<ManifestProblem, ManifestProblem>();
        for (var problem : problems) {
            byIdentity.put(
                    new ManifestProblem(
                            problem.severity(),
                            problem.file(),
                            0,
                            problem.object(),
                            problem.field(),
                            problem.problem()),
                    problem);
        }
        return byIdentity;
    }
}
