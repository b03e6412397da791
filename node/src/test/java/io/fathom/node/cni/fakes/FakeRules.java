// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.fakes;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.FileIdentity;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.node.cni.rules.CaptureSettings;
import io.fathom.node.cni.rules.Difference;
import io.fathom.node.cni.rules.PodRules;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// Rules that exist only in memory, for each namespace.
public final class FakeRules implements PodRules {
    private final Map<FileIdentity, CaptureSettings> applied = new ConcurrentHashMap<>();
    public final AtomicInteger applications = new AtomicInteger();
    public final AtomicInteger failures = new AtomicInteger();

    @Override
    public Applied apply(Path namespace, CaptureSettings settings) {
        applications.incrementAndGet();
        failIfTold();
        var old = applied.put(identity(namespace), settings);
        return old == null ? Applied.WRITTEN : old.equals(settings) ? Applied.UNCHANGED : Applied.REPLACED;
    }

    @Override
    public void remove(Path namespace) {
        failIfTold();
        applied.remove(identity(namespace));
    }

    @Override
    public List<Difference> inspect(Path namespace, CaptureSettings settings) {
        return settings.equals(applied.get(identity(namespace)))
                ? List.of()
                : List.of(new Difference(Difference.DifferenceKind.MISSING, "nowhere", "all"));
    }

    private void failIfTold() {
        if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new ProblemException(
                    new Problem("rules-fail", "rules fail", "none", Problem.Origin.SERVER, Problem.Retry.SENSIBLE));
        }
    }

    public boolean isIn(Path namespace) {
        return applied.containsKey(identity(namespace));
    }

    /// Somebody flushes the tables.
    public void lose(Path namespace) {
        applied.remove(identity(namespace));
    }

    private static FileIdentity identity(Path path) {
        try (var namespace = NetworkNamespace.open(path)) {
            return namespace.identity();
        } catch (PosixException e) {
            throw new ProblemException(e.problem("no-namespace"));
        }
    }
}
