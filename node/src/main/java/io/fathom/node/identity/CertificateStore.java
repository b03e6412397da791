// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.model.mesh.Identity;
import io.fathom.node.identity.CertificateAnswer.Available;
import io.fathom.node.identity.CertificateAnswer.Missing;
import io.fathom.wire.ca.CertificateSource;
import io.fathom.wire.ca.RenewalPlanner;
import io.fathom.wire.pki.TlsIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The certificates of the identities on this node. One fetch at a time for an identity, whoever asks; those that
/// a connection waits for come first; a certificate is renewed at half of its life, and one that is still valid is
/// kept when that fails. Any thread; asking for a certificate that is there takes no lock.
public final class CertificateStore implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CertificateStore.class);

    /// Limits.
    ///
    /// @param atOnce how many are fetched at the same time
    /// @param patience how long somebody waits for one
    public record Config(int atOnce, Duration patience) {
        public static final Config DEFAULT = new Config(8, Duration.ofSeconds(10));
    }

    private final CertificateSource source;
    private final Config config;
    private final Predicate<Identity> runsHere;
    private final Timeline timeline;
    private final RandomGenerator random;
    private final Map<Identity, Holding> holdings = new ConcurrentHashMap<>();
    private final List<CertificateListener> listeners = new CopyOnWriteArrayList<>();
    private final FetchQueue queue = new FetchQueue();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("certificate-fetch-", 0).factory());
    private int running;
    private boolean closed;

    /// An empty store.
    ///
    /// @param runsHere whether a workload with the identity is on this node
    public CertificateStore(
            CertificateSource source,
            Config config,
            Predicate<Identity> runsHere,
            Timeline timeline,
            RandomGenerator random) {
        this.source = source;
        this.config = config;
        this.runsHere = runsHere;
        this.timeline = timeline;
        this.random = random;
    }

    /// The certificate of the identity if there is a valid one. Never waits.
    public Optional<TlsIdentity> current(Identity identity) {
        var holding = holdings.get(identity);
        return holding == null ? Optional.empty() : holding.valid(timeline.instant());
    }

    /// The certificate of the identity, fetched if need be, before all that nobody waits for. Answered on a thread
    /// of this store, at the latest when patience ends.
    public CompletableFuture<CertificateAnswer> require(Identity identity) {
        var there = current(identity);
        if (there.isPresent()) {
            return CompletableFuture.completedFuture(new Available(there.get()));
        }
        if (!holdings.containsKey(identity) && !runsHere.test(identity)) {
            return CompletableFuture.completedFuture(new Missing(CertificateProblems.notHere(identity)));
        }
        var answer = await(identity);
        if (!answer.isDone()) {
            giveUpLater(identity, answer);
            pump();
        }
        return answer;
    }

    private synchronized CompletableFuture<CertificateAnswer> await(Identity identity) {
        var now = timeline.instant();
        var answer = new CompletableFuture<CertificateAnswer>();
        if (closed) {
            answer.complete(new Missing(CertificateProblems.forgotten(identity)));
            return answer;
        }
        var holding = holdings.computeIfAbsent(identity, Holding::new);
        var valid = holding.valid(now);
        var error = holding.cachedError(now);
        if (valid.isPresent()) {
            answer.complete(new Available(valid.get()));
        } else if (error.isPresent()) {
            answer.complete(new Missing(CertificateProblems.unavailable(identity, error.get())));
        } else {
            if (!holding.isInFlight()) {
                queue.add(identity, Priority.REAL_TIME);
            }
            holding.enlist(answer);
        }
        return answer;
    }

    private void giveUpLater(Identity identity, CompletableFuture<CertificateAnswer> answer) {
        var limit = timeline.at(timeline.instant().plus(config.patience()), () -> {
            answer.complete(new Missing(CertificateProblems.pending(identity, config.patience())));
            synchronized (this) {
                Optional.ofNullable(holdings.get(identity)).ifPresent(Holding::sweep);
            }
        });
        var _ = answer.whenComplete((_, _) -> limit.close());
    }

    /// A workload with the identity has come: its certificate will be needed.
    public void prefetch(Identity identity) {
        synchronized (this) {
            if (closed || holdings.putIfAbsent(identity, new Holding(identity)) != null) {
                return;
            }
            queue.add(identity, Priority.WARMUP);
        }
        pump();
    }

    /// What was fetched until now will not do any longer, because the root is another one: everything is fetched anew,
    /// and serves until then.
    public void renewAll() {
        synchronized (this) {
            holdings.values().forEach(holding -> {
                holding.outdate();
                if (!holding.isInFlight()) {
                    queue.add(holding.identity, Priority.WARMUP);
                }
            });
        }
        pump();
    }

    /// No workload with the identity is left. Whoever waits for its certificate is told so.
    public void forget(Identity identity) {
        List<CompletableFuture<CertificateAnswer>> waiters;
        synchronized (this) {
            var holding = holdings.remove(identity);
            if (holding == null) {
                return;
            }
            queue.remove(identity);
            holding.cancel();
            waiters = holding.takeWaiters();
            listeners.forEach(listener -> listener.forgotten(identity));
        }
        waiters.forEach(waiter -> waiter.complete(new Missing(CertificateProblems.forgotten(identity))));
    }

    /// Tells of what comes and goes from now on, until closed.
    public AutoCloseable listen(CertificateListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /// All identities, sorted.
    public synchronized List<CertificateState> states() {
        var now = timeline.instant();
        return holdings.values().stream()
                .map(holding -> holding.state(now))
                .sorted(Comparator.comparing(state -> state.identity().uri()))
                .toList();
    }

    private void pump() {
        var started = new ArrayList<Holding>();
        synchronized (this) {
            while (running < config.atOnce() && !closed) {
                var next = queue.take();
                if (next.isEmpty()) {
                    break;
                }
                var holding = holdings.get(next.get());
                if (holding != null && !holding.isInFlight()) {
                    holding.start();
                    running++;
                    started.add(holding);
                }
            }
        }
        try {
            started.forEach(holding -> threads.execute(() -> fetch(holding)));
        } catch (RejectedExecutionException e) {
            log.atDebug().log("closed while fetching"); // nobody waits any more
        }
    }

    private void fetch(Holding holding) {
        try {
            var fetched = source.fetch(holding.identity);
            var now = timeline.instant();
            if (now.isBefore(fetched.notAfter())) {
                succeeded(holding, fetched, now);
            } else {
                failed(holding, CertificateProblems.expired(holding.identity, fetched.notAfter()), now);
            }
        } catch (ProblemException e) {
            failed(holding, e.problem(), timeline.instant());
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("a certificate could not be fetched because of a bug");
            failed(holding, CertificateProblems.bug(e), timeline.instant());
        }
        pump();
    }

    private void succeeded(Holding holding, TlsIdentity fetched, Instant now) {
        List<CompletableFuture<CertificateAnswer>> waiters;
        synchronized (this) {
            running--;
            if (isForgotten(holding)) {
                return;
            }
            var good = holding.succeed(fetched);
            var renewal = RenewalPlanner.renewal(
                    fetched.leaf().getNotBefore().toInstant(), fetched.notAfter(), random.nextDouble());
            var soonest = now.plusSeconds(1); // whatever life an authority gives
            plan(holding, !good || renewal.isBefore(soonest) ? soonest : renewal);
            waiters = holding.takeWaiters();
            listeners.forEach(listener -> listener.renewed(holding.identity, fetched));
        }
        waiters.forEach(waiter -> waiter.complete(new Available(fetched)));
    }

    private void failed(Holding holding, Problem problem, Instant now) {
        List<CompletableFuture<CertificateAnswer>> waiters;
        Duration delay;
        synchronized (this) {
            running--;
            if (isForgotten(holding)) {
                return;
            }
            delay = RenewalPlanner.retry(holding.fail(problem), random.nextDouble());
            holding.retryAt(now.plus(delay));
            plan(holding, now.plus(delay));
            waiters = holding.takeWaiters();
        }
        log.atWarn()
                .addKeyValue("identity", holding.identity.uri())
                .addKeyValue("code", problem.code())
                .addKeyValue("reason", problem)
                .addKeyValue("retry", delay)
                .log("certificate fetch failed");
        var answer = new Missing(CertificateProblems.unavailable(holding.identity, problem));
        waiters.forEach(waiter -> waiter.complete(answer));
    }

    @SuppressWarnings("ReferenceEquality") // another holding of the same identity has come after it
    private boolean isForgotten(Holding holding) {
        return closed || holdings.get(holding.identity) != holding;
    }

    private void plan(Holding holding, Instant time) {
        holding.plan(timeline.at(time, () -> {
            synchronized (this) {
                if (isForgotten(holding) || holding.isInFlight()) {
                    return;
                }
                var valid = holding.valid(timeline.instant()).isPresent();
                queue.add(holding.identity, valid ? Priority.BACKGROUND : Priority.WARMUP);
            }
            pump();
        }));
    }

    /// Nothing is fetched after this; whoever waits is told.
    @Override
    public void close() {
        var waiters = new ArrayList<CompletableFuture<CertificateAnswer>>();
        synchronized (this) {
            closed = true;
            holdings.values().forEach(holding -> {
                holding.cancel();
                waiters.addAll(holding.takeWaiters());
            });
        }
        waiters.forEach(waiter -> waiter.complete(new Missing(CertificateProblems.stopping())));
        threads.shutdownNow();
    }
}
