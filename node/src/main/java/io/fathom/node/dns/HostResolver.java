// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.base.lang.Problem;
import io.fathom.model.mesh.Ip;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.dns.AddressReply;
import io.fathom.wire.dns.DnsQuestion;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// Finds the addresses of workloads that are only known by name. Remembers [#MOST_NAMES] names for as long as the name
/// servers allow; concurrent questions for one name become one. Ask on any thread, the answer comes on its event loop.
public final class HostResolver {
    static final int MOST_NAMES = 4096;
    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofMinutes(5);
    private static final Duration OF_FAILURES = Duration.ofSeconds(5);

    private final Upstream upstream;
    private final DnsForwarder forwarder;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final LinkedHashMap<String, Known> known = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, CompletableFuture<List<Ip>>> asking = new HashMap<>();

    /// What came of it.
    public sealed interface HostResolution {
        record Found(Ip ip) implements HostResolution {}

        record Failed(Problem problem) implements HostResolution {}
    }

    private record Known(List<Ip> ips, Instant until) {}

    public HostResolver(
            EventLoop loop,
            Sockets sockets,
            Supplier<ResolvConf> servers,
            InstantSource clock,
            RandomGenerator random) {
        this.upstream = new Upstream(loop, sockets, random);
        this.forwarder = new DnsForwarder(upstream, servers, clock, DnsObserver.NONE);
        this.clock = clock;
        this.random = random;
    }

    /// One of the name's addresses, at random; of the preferred family if there is one. Never fails otherwise.
    public CompletableFuture<HostResolution> resolve(String hostname, Ip.Family preferred) {
        var name = hostname.endsWith(".") ? hostname.substring(0, hostname.length() - 1) : hostname;
        var answer = new CompletableFuture<HostResolution>();
        upstream.loop().execute(() -> {
            var _ = addresses(name).thenAccept(ips -> answer.complete(choose(name, ips, preferred)));
        });
        return answer;
    }

    private HostResolution choose(String name, List<Ip> ips, Ip.Family preferred) {
        var same = ips.stream().filter(ip -> ip.family() == preferred).toList();
        var choices = same.isEmpty() ? ips : same;
        return choices.isEmpty()
                ? new HostResolution.Failed(new Problem(
                        "dns-no-address",
                        "no address found for " + name,
                        "check the name in the ServiceEntry or WorkloadEntry, and the node's name servers",
                        Problem.Origin.SERVER,
                        Problem.Retry.SENSIBLE))
                : new HostResolution.Found(choices.get(random.nextInt(choices.size())));
    }

    private CompletableFuture<List<Ip>> addresses(String name) {
        var held = known.get(name);
        if (held != null && clock.instant().isBefore(held.until())) {
            return CompletableFuture.completedFuture(held.ips());
        }
        var running = asking.get(name);
        if (running != null) {
            return running;
        }
        var started = new CompletableFuture<List<Ip>>();
        asking.put(name, started);
        var v4 = ask(name, DnsQuestion.A, Transport.UDP);
        var v6 = ask(name, DnsQuestion.AAAA, Transport.UDP);
        var _ = v4.thenAcceptBoth(v6, (first, second) -> {
            asking.remove(name);
            var _ = started.complete(remember(name, first, second));
        });
        return started;
    }

    private List<Ip> remember(String name, AddressReply first, AddressReply second) {
        var ips = new ArrayList<>(first.ips());
        ips.addAll(second.ips());
        var lifetime = Duration.ofSeconds(Math.min(first.lifetime(), second.lifetime()));
        var bounded = ips.isEmpty()
                ? OF_FAILURES
                : lifetime.compareTo(LEAST) < 0 ? LEAST : lifetime.compareTo(MOST) > 0 ? MOST : lifetime;
        known.put(name, new Known(List.copyOf(ips), clock.instant().plus(bounded)));
        if (known.size() > MOST_NAMES) {
            known.remove(known.firstEntry().getKey());
        }
        return ips;
    }

    private CompletableFuture<AddressReply> ask(String name, int type, Transport transport) {
        var answer = new CompletableFuture<AddressReply>();
        var query = AddressReply.query(0, name, type);
        if (query.isEmpty()) {
            return CompletableFuture.completedFuture(AddressReply.NOTHING);
        }
        forwarder.forward(
                query.get(), new DnsObserver.Labels(DnsQuestion.typeName(type), transport, Optional.empty()), reply -> {
                    if ((reply[2] & 2) != 0 && transport == Transport.UDP) {
                        var _ = ask(name, type, Transport.TCP).thenAccept(answer::complete);
                    } else {
                        answer.complete(AddressReply.read(reply));
                    }
                });
        return answer;
    }

    int held() {
        return known.size();
    }
}
