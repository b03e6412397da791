// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.fathom.control.envoy.StockEnvoy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/// Pods on loopback addresses of this process, each with a web server, and an Envoy in which tunnels to them end.
final class Lab implements AutoCloseable {
    /// No two processes that run at the same time share the block.
    private static final String BLOCK = block(ProcessHandle.current().pid());

    private static final AtomicInteger NEXT = new AtomicInteger();

    private final TestIdentity authority = new TestIdentity("cluster.local");
    private final MeshTls tls = new MeshTls(SecretSource.BOOTSTRAP, List.of("cluster.local"));
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Pod> pods = new ArrayList<>();
    private final List<Listener> ends = new ArrayList<>();
    private final List<Cluster> targets = new ArrayList<>();
    private final List<StockEnvoy> running = new ArrayList<>();

    private static String block(long pid) {
        return "127." + (64 + (pid >> 8 & 0x3f)) + "." + (pid & 0xff) + ".";
    }

    TestIdentity authority() {
        return authority;
    }

    MeshTls tls() {
        return tls;
    }

    static String freshAddress() {
        return BLOCK + NEXT.incrementAndGet();
    }

    /// A pod with a web server that says its name.
    final class Pod implements AutoCloseable {
        final String name;
        final String address = freshAddress();
        private final HttpServer server;
        private volatile int status = 200;
        private volatile CountDownLatch gate = new CountDownLatch(0);
        private final AtomicInteger waiting = new AtomicInteger();

        private Pod(String name, HttpServer server) throws IOException {
            this.name = name;
            this.server = server;
            server.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 0), 0);
            server.setExecutor(threads);
            server.createContext("/", this::answer);
            server.start();
        }

        int port() {
            return server.getAddress().getPort();
        }

        void answers(int code) {
            status = code;
        }

        /// Requests wait from now on until the latch opens.
        void waitsFor(CountDownLatch latch) {
            gate = latch;
        }

        /// How many requests wait.
        int waiting() {
            return waiting.get();
        }

        private void answer(HttpExchange exchange) throws IOException {
            try (exchange) {
                var own = gate;
                waiting.incrementAndGet();
                own.await();
                waiting.decrementAndGet();
                exchange.getResponseHeaders().add("x-pod", name);
                exchange.sendResponseHeaders(status, -1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    /// A pod in the mesh: tunnels to its own address and port end there.
    Pod meshPod(String name) throws IOException {
        var pod = outsidePod(name);
        tunnelEnd(pod.address, pod.address + ":" + pod.port(), pod.address, pod.port());
        return pod;
    }

    /// A pod that knows nothing of the mesh.
    Pod outsidePod(String name) throws IOException {
        return add(new Pod(name, HttpServer.create()));
    }

    /// A pod in the mesh whose server speaks TLS.
    Pod tlsPod(String name, SSLContext context) throws IOException {
        var server = HttpsServer.create();
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        var pod = add(new Pod(name, server));
        tunnelEnd(pod.address, pod.address + ":" + pod.port(), pod.address, pod.port());
        return pod;
    }

    private Pod add(Pod pod) {
        pods.add(pod);
        return pod;
    }

    /// Tunnels to an address that ask for `authority` lead to a server; all others are refused.
    void tunnelEnd(String address, String asked, String targetAddress, int targetPort) {
        var cluster = "target " + targets.size();
        targets.add(Envoys.plainCluster(cluster, targetAddress, targetPort));
        ends.add(Envoys.tunnelEnd(address, asked, cluster, tls));
    }

    /// Starts the ends of all tunnels, then the Envoy under test.
    StockEnvoy start(Path folder, List<Listener> listeners, List<Cluster> clusters) throws IOException {
        return start(folder, listeners, clusters, List.of());
    }

    StockEnvoy start(
            Path folder,
            List<Listener> listeners,
            List<Cluster> clusters,
            List<io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret> more)
            throws IOException {
        running.add(StockEnvoy.start(
                folder, Envoys.bootstrap(ends, targets, authority.secrets("spiffe://cluster.local/ns/shop/sa/web"))));
        var secrets = new ArrayList<>(authority.secrets("spiffe://cluster.local/ns/edge/sa/proxy"));
        secrets.addAll(more);
        var envoy = StockEnvoy.start(folder, Envoys.bootstrap(listeners, clusters, secrets));
        running.add(envoy);
        return envoy;
    }

    @Override
    public void close() {
        running.reversed().forEach(StockEnvoy::close);
        pods.forEach(Pod::close);
        threads.close();
    }
}
