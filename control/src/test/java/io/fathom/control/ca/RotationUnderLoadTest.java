// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.wire.ca.CertificateOrder;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RequestWriter;
import io.fathom.wire.pki.TlsIdentity;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Workloads with short-lived certificates go on speaking to each other while the root is replaced under them. Node
/// proxies renew at half of the lifetime over connections of their own and learn of roots only from what they get, as
/// the real ones do; all the time random pairs of workloads shake hands with what they have.
@Tag("slow")
class RotationUnderLoadTest {
    private final InstantSource clock = InstantSource.system();
    private final Map<String, TlsIdentity> identities = new ConcurrentHashMap<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final LongAdder renewals = new LongAdder();
    private final LongAdder handshakes = new LongAdder();

    @TempDir
    Path folder;

    private record Load(int nodes, int workloadsPerNode, Duration lifetime, Duration length) {}

    @Test
    void givenCertificatesOfSixSeconds_whenTheRootRotates_thenNoHandshakeFails() throws Exception {
        run(new Load(10, 5, Duration.ofSeconds(6), Duration.ofSeconds(20)));
    }

    /// For longer: `-Dfathom.lifetime=60 -Dfathom.length=300`, in seconds.
    @Test
    void givenFiftyNodesAndFiveHundredIdentities_whenTheRootRotates_thenNoHandshakeFails() throws Exception {
        run(new Load(
                50,
                10,
                Duration.ofSeconds(Integer.getInteger("fathom.lifetime", 20)),
                Duration.ofSeconds(Integer.getInteger("fathom.length", 60))));
    }

    private void run(Load load) throws Exception {
        var announcement = load.lifetime().multipliedBy(3).dividedBy(4);
        var policy = new RootPolicy(
                KeyAlgorithm.P256,
                Duration.ofDays(3650),
                RootPolicy.Renewal.NEW_KEY,
                announcement,
                load.lifetime().plusSeconds(1),
                Duration.ofHours(1));
        try (var authority = SelfSignedAuthority.open(
                                new FileRootStore(folder.resolve("ca.yaml")), policy, "cluster.local", clock)
                        .start();
                var ca = new RunningCa(authority, load.lifetime(), CaObserver.NONE, clock)) {
            var timers = Executors.newScheduledThreadPool(4);
            var nodes = new ArrayList<Node>();
            for (var n = 0; n < load.nodes(); n++) {
                nodes.add(new Node(ca, authority.roots(), n, load, timers));
            }
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> identities.size() == load.nodes() * load.workloadsPerNode() || !failures.isEmpty());
            var names = List.copyOf(identities.keySet());
            for (var i = 0; i < 2; i++) {
                var _ = timers.scheduleWithFixedDelay(() -> handshake(names), 0, 10, TimeUnit.MILLISECONDS);
            }
            var oldRoot = authority.material().signer();
            var _ = timers.schedule(authority::rotate, load.length().toMillis() * 3 / 10, TimeUnit.MILLISECONDS);
            var end = clock.instant().plus(load.length());
            await().atMost(load.length().plusSeconds(30))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> !failures.isEmpty() || !clock.instant().isBefore(end));
            await().atMost(load.lifetime().multipliedBy(3))
                    .until(() -> !failures.isEmpty() || forgotten(authority, oldRoot));
            timers.shutdownNow();
            timers.awaitTermination(20, TimeUnit.SECONDS);
            nodes.forEach(Node::close);

            System.out.printf(
                    "%d identities, %s certificates, %s: %d renewals, %d handshakes, %d failures%n",
                    names.size(), load.lifetime(), load.length(), renewals.sum(), handshakes.sum(), failures.size());
            assertThat(failures).isEmpty();
            assertThat(handshakes.sum()).isGreaterThan(load.length().toSeconds());
        }
    }

    /// Nobody needs the old root any more, neither we nor any client.
    private boolean forgotten(Authority authority, X509Certificate oldRoot) {
        var now = List.of(authority.material().signer());
        return !now.contains(oldRoot)
                && authority.roots().equals(now)
                && identities.values().stream()
                        .allMatch(identity -> identity.roots().equals(now));
    }

    private void handshake(List<String> names) {
        var client = identities.get(names.get(ThreadLocalRandom.current().nextInt(names.size())));
        var server = identities.get(names.get(ThreadLocalRandom.current().nextInt(names.size())));
        if (client == null || server == null) {
            return;
        }
        try {
            TestHandshake.run(client, server);
            handshakes.increment();
        } catch (Exception e) {
            if (!Thread.currentThread().isInterrupted()) {
                failures.add("handshake: " + client + " -> " + server + ": " + e);
            }
        }
    }

    /// A node proxy with the certificates of its workloads.
    private final class Node implements AutoCloseable {
        private final RunningCa ca;
        private final String token;
        private final Load load;
        private final ScheduledExecutorService timers;
        private final String name;
        private List<X509Certificate> roots;
        private ManagedChannel channel;
        private final List<ManagedChannel> retired = new ArrayList<>();

        Node(RunningCa ca, List<X509Certificate> roots, int number, Load load, ScheduledExecutorService timers) {
            this.ca = ca;
            this.name = "node-" + number;
            this.load = load;
            this.timers = timers;
            this.roots = roots;
            this.channel = ca.channel(roots, Optional.empty());
            ca.pods.add("istio-system", "ztunnel-" + number, "uid-" + number, "ztunnel", name);
            this.token = ca.token("istio-system", "ztunnel", "ztunnel-" + number, "uid-" + number, name);
            for (var w = 0; w < load.workloadsPerNode(); w++) {
                var account = "workload-" + number + "-" + w;
                ca.pods.add("default", account, "uid-" + account, account, name);
                timers.execute(() -> renew("spiffe://cluster.local/ns/default/sa/" + account));
            }
        }

        private void renew(String identity) {
            try {
                var keys = KeyAlgorithm.P256.generate();
                var order = new CertificateOrder(
                        RequestWriter.write(keys, List.of(identity)), load.lifetime(), Optional.of(identity));
                var chain = RunningCa.client(channel(), token).create(order);
                var path = Pem.certificates(String.join("", chain.subList(0, chain.size() - 1)));
                var trusted = Pem.certificates(chain.getLast());
                var next = new TlsIdentity(keys.getPrivate(), path, trusted);
                var before = identities.put(identity, next);
                if (before != null && before.notAfter().isBefore(clock.instant())) {
                    failures.add("expired before it was renewed: " + before);
                }
                trust(trusted);
                renewals.increment();
                var rest = Duration.between(clock.instant(), next.notAfter());
                var _ = timers.schedule(() -> renew(identity), rest.toMillis() / 2, TimeUnit.MILLISECONDS);
            } catch (RuntimeException e) {
                if (!timers.isShutdown()) {
                    failures.add("renewal of " + identity + ": " + e);
                }
            }
        }

        private synchronized ManagedChannel channel() {
            return channel;
        }

        /// Other roots: the next call goes over a connection that trusts them and only them.
        private synchronized void trust(List<X509Certificate> trusted) {
            if (!trusted.equals(roots)) {
                roots = trusted;
                retired.add(channel); // others may be about to call over it
                channel = ca.channel(roots, Optional.empty());
            }
        }

        @Override
        public synchronized void close() {
            channel.shutdownNow();
            retired.forEach(ManagedChannel::shutdownNow);
        }
    }
}
