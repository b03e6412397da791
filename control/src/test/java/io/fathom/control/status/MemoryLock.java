// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.util.Optional;

/// A lock that behaves like one in a cluster, and that a test can delete or cut off.
final class MemoryLock {
    private Optional<LockRecord> record = Optional.empty();
    private int version;

    /// How one candidate sees it.
    final class View implements LockStore {
        private boolean cut;

        synchronized void cutOff() {
            cut = true;
        }

        synchronized void restore() {
            cut = false;
        }

        @Override
        public Optional<HeldLock> read() {
            check();
            return get().map(found -> new HeldLock(found, String.valueOf(version())));
        }

        @Override
        public void create(LockRecord made) {
            check();
            put("", made);
        }

        @Override
        public void replace(HeldLock before, LockRecord made) {
            check();
            put(before.version(), made);
        }

        private synchronized void check() {
            if (cut) {
                throw problem("kube-unreachable");
            }
        }
    }

    View view() {
        return new View();
    }

    synchronized Optional<LockRecord> get() {
        return record;
    }

    synchronized void delete() {
        record = Optional.empty();
        version++;
    }

    private synchronized int version() {
        return version;
    }

    private synchronized void put(String before, LockRecord made) {
        var found = record.isPresent() ? String.valueOf(version) : "";
        if (!before.equals(found)) {
            throw problem("kube-conflict");
        }
        record = Optional.of(made);
        version++;
    }

    private static ProblemException problem(String code) {
        return new ProblemException(
                new Problem(code, "not now", "wait", Problem.Origin.SERVER, Problem.Retry.SENSIBLE));
    }
}
