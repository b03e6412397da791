// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries connections to one port of an address of the machine to the pods behind a Service, in turn. What a cloud's
/// load balancer does for a cluster. Virtual threads.
final class LoadBalancer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LoadBalancer.class);
    private static final int CONNECT_MILLIS = 5_000;

    private final ServerSocket listener;
    private final int targetPort;
    private final Supplier<List<String>> pods;
    private final AtomicInteger turn = new AtomicInteger();

    private LoadBalancer(ServerSocket listener, int targetPort, Supplier<List<String>> pods) {
        this.listener = listener;
        this.targetPort = targetPort;
        this.pods = pods;
    }

    /// @param pods the addresses of those that are ready
    static LoadBalancer start(String address, int port, int targetPort, Supplier<List<String>> pods)
            throws IOException {
        var listener = new ServerSocket();
        try {
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(InetAddress.ofLiteral(address), port));
        } catch (IOException e) {
            listener.close();
            throw e;
        }
        var balancer = new LoadBalancer(listener, targetPort, pods);
        Thread.ofVirtual().name("load balancer " + address + ":" + port).start(balancer::acceptAll);
        return balancer;
    }

    int port() {
        return listener.getLocalPort();
    }

    private void acceptAll() {
        while (!listener.isClosed()) {
            try {
                var client = listener.accept();
                Thread.ofVirtual().start(() -> carry(client));
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    log.atWarn().setCause(e).log("a connection was not accepted");
                }
            }
        }
    }

    private void carry(Socket client) {
        var ready = pods.get();
        try (client;
                var pod = new Socket()) {
            if (ready.isEmpty()) {
                return;
            }
            var chosen = ready.get(Math.floorMod(turn.getAndIncrement(), ready.size()));
            pod.connect(new InetSocketAddress(InetAddress.ofLiteral(chosen), targetPort), CONNECT_MILLIS);
            var back = Thread.ofVirtual().start(() -> copy(pod, client));
            copy(client, pod);
            back.join();
        } catch (IOException e) {
            log.atDebug().setCause(e).log("a connection could not be carried");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
            to.shutdownOutput();
        } catch (IOException e) {
            try {
                to.close();
                from.close();
            } catch (IOException _) {
                // both are gone
            }
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            log.atDebug().setCause(e).log("a load balancer did not close");
        }
    }
}
