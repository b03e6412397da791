// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.stream.Milestone;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Tells when all clients that are fed from a store have acknowledged something in it. Costs streams nothing while
/// nobody asks. Thread-safe.
public final class Acknowledgements {
    /// How it ended.
    public enum AwaitedAnswer {
        /// All clients have it, also those that came meanwhile.
        ACKNOWLEDGED,
        /// A client refuses it.
        REFUSED,
        /// All clients that are left have it, but one has gone without.
        LEFT
    }

    /// What is waited for; closing gives it up.
    public interface Wait extends AutoCloseable {
        /// Who has not answered yet.
        List<String> lacking();

        @Override
        void close();
    }

    private final Supplier<? extends Iterable<AdsCall>> calls;
    private final Set<Awaited> open = ConcurrentHashMap.newKeySet();

    Acknowledgements(Supplier<? extends Iterable<AdsCall>> calls) {
        this.calls = calls;
    }

    /// Calls back once, on a thread of a stream or on the caller's: at once if nobody is behind. It must not block.
    public Wait await(ResourceStore store, Milestone milestone, Consumer<AwaitedAnswer> done) {
        var awaited = new Awaited(store, milestone, done);
        open.add(awaited); // first: who comes from now on is told by joined
        for (var call : calls.get()) {
            if (call.follows(store)) {
                awaited.add(call);
            }
        }
        awaited.complete();
        return awaited;
    }

    /// The clients that are fed from a store now, as `name.namespace`.
    public List<String> clients(ResourceStore store) {
        var result = new ArrayList<String>();
        for (var call : calls.get()) {
            if (call.follows(store)) {
                result.add(call.proxy());
            }
        }
        return result;
    }

    /// A stream has begun.
    void joined(AdsCall call) {
        for (var awaited : open) {
            if (call.follows(awaited.store)) {
                awaited.add(call);
            }
        }
    }

    /// One wait of all clients of a store.
    final class Awaited implements Wait {
        private final ResourceStore store;
        private final Milestone milestone;
        private final Consumer<AwaitedAnswer> done;
        private final Set<AdsCall> lacking = ConcurrentHashMap.newKeySet(); // changed under this lock
        private boolean complete; // guarded by this, as the rest
        private boolean left;
        private boolean over;

        private Awaited(ResourceStore store, Milestone milestone, Consumer<AwaitedAnswer> done) {
            this.store = store;
            this.milestone = milestone;
            this.done = done;
        }

        Milestone milestone() {
            return milestone;
        }

        private void add(AdsCall call) {
            synchronized (this) {
                if (over || !lacking.add(call)) {
                    return;
                }
            }
            call.expect(this);
        }

        /// All that are there have been asked.
        private void complete() {
            synchronized (this) {
                complete = true;
            }
            settle();
        }

        void reached(AdsCall call) {
            remove(call);
        }

        /// The stream has ended.
        void left(AdsCall call) {
            synchronized (this) {
                left |= lacking.contains(call);
            }
            remove(call);
        }

        void refused() {
            end(AwaitedAnswer.REFUSED);
        }

        private void remove(AdsCall call) {
            synchronized (this) {
                lacking.remove(call);
            }
            settle();
        }

        private void settle() {
            AwaitedAnswer answer;
            synchronized (this) {
                if (!complete || !lacking.isEmpty()) {
                    return;
                }
                answer = left ? AwaitedAnswer.LEFT : AwaitedAnswer.ACKNOWLEDGED;
            }
            end(answer);
        }

        private void end(AwaitedAnswer answer) {
            if (finish()) {
                done.accept(answer);
            }
        }

        private boolean finish() {
            synchronized (this) {
                if (over) {
                    return false;
                }
                over = true;
            }
            open.remove(this);
            lacking.forEach(call -> call.forget(this));
            return true;
        }

        @Override
        public List<String> lacking() {
            return lacking.stream().map(AdsCall::proxy).sorted().toList();
        }

        @Override
        public void close() {
            var _ = finish();
        }
    }
}
