// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.inpod;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.zds.PodListener;
import io.fathom.wire.zds.ZdsClient;
import io.fathom.wire.zds.ZdsRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a connection to the CNI agent and passes what it says to the [PodRegistry]. Has a platform thread of its own,
/// which dials again and again until it is closed; pods are served meanwhile.
public final class ZdsSession implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ZdsSession.class);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(20);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);

    private final Path path;
    private final PodRegistry registry;
    private final Consumer<Problem> violations;
    private final Backoff redial;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;
    private volatile @Nullable ZdsClient client;

    private ZdsSession(Path path, PodRegistry registry, Consumer<Problem> violations, RandomGenerator random) {
        this.path = path;
        this.registry = registry;
        this.violations = violations;
        this.redial = new Backoff(SHORTEST_WAIT, LONGEST_WAIT, random);
        this.thread = Thread.ofPlatform().daemon().name("zds").unstarted(this::run);
    }

    /// Begins to dial.
    ///
    /// @param violations hears when the agent breaks the protocol. The session dials again and the pods are served;
    ///     upstream's proxy ends itself here
    public static ZdsSession start(
            Path path, PodRegistry registry, Consumer<Problem> violations, RandomGenerator random) {
        var session = new ZdsSession(path, registry, violations, random);
        session.thread.start();
        return session;
    }

    private void run() {
        while (closed.getCount() > 0) {
            try (var dialled = ZdsClient.connect(path)) {
                client = dialled;
                registry.connected();
                log.atInfo().addKeyValue("path", path).log("greeted the CNI agent");
                if (closed.getCount() > 0) {
                    serve(dialled);
                }
            } catch (ProblemException e) {
                log.atWarn()
                        .addKeyValue("problem", e.problem().code())
                        .log("no connection to the CNI agent: {}", e.problem());
            } catch (RuntimeException e) {
                log.atError().setCause(e).log("a request of the CNI agent met a bug");
            } finally {
                client = null;
                registry.disconnected();
            }
            pause();
        }
    }

    private void pause() {
        try {
            var _ = closed.await(redial.next().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            closed.countDown();
        }
    }

    /// Until the agent leaves or cannot be understood.
    private void serve(ZdsClient agent) {
        while (true) {
            var request = next(agent);
            if (request == null) {
                return;
            }
            redial.reset();
            if (!answered(agent, request)) {
                return;
            }
        }
    }

    private @Nullable ZdsRequest next(ZdsClient agent) {
        try {
            return agent.next().orElse(null);
        } catch (ProblemException e) {
            if (e.problem().code().equals("zds-malformed")) {
                agent.refuse(e.problem().message());
            }
            throw e;
        }
    }

    private boolean answered(ZdsClient agent, ZdsRequest request) {
        try {
            registry.handle(request)
                    .ifPresentOrElse(problem -> agent.refuse(problem.toString()), () -> accept(agent, request));
            return true;
        } catch (ProblemException e) {
            if (!e.problem().code().equals("zds-protocol-violated")) {
                throw e;
            }
            violations.accept(e.problem());
            agent.refuse(e.problem().message());
            return false;
        }
    }

    private void accept(ZdsClient agent, ZdsRequest request) {
        if (request instanceof ZdsRequest.Add add && add.keeping() == ZdsRequest.Keeping.YES) {
            var listeners = registry.listeners(add.pod().uid());
            try {
                agent.accept(listeners);
            } finally {
                listeners.forEach(PodListener::close);
            }
        } else {
            agent.accept();
        }
    }

    /// Hangs up. The pods are served until the registry is closed.
    @Override
    public void close() {
        closed.countDown();
        var open = client;
        if (open != null) {
            open.close();
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
