package io.fathom.app.proxy;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.wire.dial.ServerTrust;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The roots that verify the control plane, read again now and then: Kubernetes replaces their file while we run, and
/// Envoy would not look at it again by itself. What cannot be read changes nothing.
final class ControlRoots implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ControlRoots.class);
    private static final Duration PERIOD = Duration.ofSeconds(20);

    private final ServerTrust trust;
    private final Consumer<List<X509Certificate>> listener;
    private final Timeline timeline;
    private List<X509Certificate> current = List.of();
    private Timeline.@Nullable Appointment next;
    private boolean closed;

    ControlRoots(ServerTrust trust, Consumer<List<X509Certificate>> listener, Timeline timeline) {
        this.trust = trust;
        this.listener = listener;
        this.timeline = timeline;
    }

    ControlRoots start() {
        look();
        return this;
    }

    private void look() {
        try {
            var roots = trust.roots();
            if (!roots.equals(current)) {
                current = roots;
                listener.accept(roots);
            }
        } catch (ProblemException e) {
            log.atWarn().addKeyValue("code", e.problem().code()).log(e.problem().toString());
        }
        plan();
    }

    private synchronized void plan() {
        if (!closed) {
            next = timeline.at(timeline.instant().plus(PERIOD), this::look);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.close();
        }
    }
}
