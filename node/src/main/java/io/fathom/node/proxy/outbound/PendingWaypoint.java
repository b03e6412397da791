// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.outbound;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.routing.OutboundDecision;
import io.fathom.model.routing.OutboundDecision.Refuse;
import io.fathom.node.proxy.MeshSource;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Lets a connection to a new service wait while the control plane says that its waypoint is about to serve it. Looks
/// again at each change of the mesh, and goes on in any case when it has waited for long enough. On one event loop.
final class PendingWaypoint {
    /// Longer than the control plane waits for a waypoint that does not answer.
    private static final Duration PATIENCE = Duration.ofSeconds(7);

    private final EventLoop loop;
    private final BooleanSupplier isPending;
    private final Runnable then;
    private MeshSource.@Nullable Subscription changes;
    private boolean over;

    private PendingWaypoint(EventLoop loop, BooleanSupplier isPending, Runnable then) {
        this.loop = loop;
        this.isPending = isPending;
        this.then = then;
    }

    /// Whether that is what a connection needs.
    static boolean isWanted(OutboundDecision decision) {
        return decision instanceof Refuse refused
                && refused.missing().filter(GatewayAddress.PENDING::equals).isPresent();
    }

    static void await(MeshSource mesh, EventLoop loop, BooleanSupplier isPending, Runnable then) {
        var waiting = new PendingWaypoint(loop, isPending, then);
        loop.execute(() -> waiting.begin(mesh));
    }

    private void begin(MeshSource mesh) {
        changes = mesh.onChange(_ -> {
            if (!loop.isShuttingDown()) {
                loop.execute(this::look);
            }
        });
        var _ = loop.schedule(this::end, PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        look(); // it may have come before we listened
    }

    private void look() {
        if (!over && !isPending.getAsBoolean()) {
            end();
        }
    }

    private void end() {
        if (!over) {
            over = true;
            if (changes != null) {
                changes.close();
            }
            then.run();
        }
    }
}
