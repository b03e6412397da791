// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Ip;
import io.netty.resolver.DefaultNameResolver;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks up the gateways that are known by name, again and again as long as there are some, and tells the mesh their
/// addresses of both families. A name that cannot be looked up at the moment keeps what it had.
public final class GatewayNames implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(GatewayNames.class);
    private static final DefaultNameResolver RESOLVER = new DefaultNameResolver(ImmediateEventExecutor.INSTANCE);
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final AmbientMesh mesh;
    private final Timeline timeline;
    private final ExecutorService executor = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("gateway-names").factory());
    private final Parts parts = new Parts(Parts.Order.FIRST_FIRST);
    private final AtomicBoolean asked = new AtomicBoolean();
    private Map<String, List<Ip>> known = Map.of();
    private Timeline.Appointment next = () -> {};

    private GatewayNames(AmbientMesh mesh, Timeline timeline) {
        this.mesh = mesh;
        this.timeline = timeline;
    }

    /// Begins at once.
    public static GatewayNames follow(AmbientMesh mesh, Timeline timeline) {
        var names = new GatewayNames(mesh, timeline);
        names.parts.keep(mesh.subscribe(commit -> {
            if (!commit.changes(mesh.networkGateways()).isEmpty()) {
                names.ask();
            }
        }));
        names.ask();
        return names;
    }

    private void ask() {
        if (asked.compareAndSet(false, true)) {
            try {
                executor.execute(this::look);
            } catch (RejectedExecutionException _) {
                // closed
            }
        }
    }

    private void look() {
        asked.set(false);
        next.close();
        var wanted = wanted();
        var found = new HashMap<String, List<Ip>>();
        for (var host : wanted) {
            var ips = addresses(host);
            if (!ips.isEmpty()) {
                found.put(host, ips);
            }
        }
        var gone = new HashSet<>(known.keySet());
        gone.removeAll(wanted);
        if (!gone.isEmpty() || !found.equals(known)) {
            mesh.gatewayVerdicts().resolved(found, gone);
        }
        known = Map.copyOf(found);
        if (!wanted.isEmpty()) {
            next = timeline.at(timeline.instant().plus(PAUSE), this::ask);
        }
    }

    private Set<String> wanted() {
        var hosts = new TreeSet<String>();
        mesh.cut()
                .of(mesh.networkGateways())
                .forEach((_, gateways) -> gateways.forEach(gateway -> {
                    if (gateway.address().destination() instanceof GatewayDestination.ByHostname(var host)) {
                        hosts.add(host.hostname());
                    }
                }));
        return hosts;
    }

    /// Sorted, as name servers give them in turns.
    private List<Ip> addresses(String host) {
        var looked = RESOLVER.resolveAll(host); // on this thread
        if (!looked.isSuccess()) {
            log.atDebug().addKeyValue("host", host).log("a gateway's name cannot be looked up");
            return known.getOrDefault(host, List.of());
        }
        return looked.getNow().stream()
                .map(address -> Ip.ofBytes(address.getAddress()).unmapped())
                .distinct()
                .sorted()
                .toList();
    }

    @Override
    public void close() {
        parts.close();
        executor.shutdown();
        next.close();
    }
}
