// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Upstream's control plane on an API server, in ambient mode, with every port on the loopback interface.
///
/// It allocates addresses and writes conditions, without leader election. It neither deploys gateways nor writes their
/// status, so that a test decides which waypoints are ready.
public final class Istiod implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Map<String, String> SETTINGS = Map.of(
            "PILOT_ENABLE_AMBIENT", "true",
            "CA_TRUSTED_NODE_ACCOUNTS", "istio-system/ztunnel",
            "POD_NAMESPACE", "istio-system",
            "POD_NAME", "istiod-verify",
            "REVISION", "default",
            "ENABLE_LEADER_ELECTION", "false",
            "PILOT_ENABLE_GATEWAY_API_STATUS", "false",
            "PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER", "false",
            "INJECT_ENABLED", "false",
            "VALIDATION_WEBHOOK_CONFIG_NAME", "");

    private final Process process;
    private final int port;
    private final int tlsPort;

    private Istiod(Process process, int port, int tlsPort) {
        this.process = process;
        this.port = port;
        this.tlsPort = tlsPort;
    }

    /// Starts in the cluster's workspace and waits until it says it is ready. Its namespace must exist.
    public static Istiod start(KubeApiServer cluster) {
        return start(cluster, "127.0.0.1", 0, Map.of());
    }

    /// The same with its TLS port, where it issues certificates.
    public static Istiod startWithCertificates(KubeApiServer cluster) {
        return startWithCertificates(cluster, "127.0.0.1");
    }

    /// The same with more settings, for instance where plugged certificates are.
    public static Istiod startWithCertificates(KubeApiServer cluster, Map<String, String> more) {
        return start(cluster, "127.0.0.1", Workspace.freePort(), more);
    }

    /// The same for clients in namespaces, who reach it at that address of this machine.
    public static Istiod startWithCertificates(KubeApiServer cluster, String host) {
        return start(cluster, host, Workspace.freePort(), Map.of());
    }

    private static Istiod start(KubeApiServer cluster, String host, int tlsPort, Map<String, String> more) {
        var program = StockProgram.ISTIOD.require();
        var port = Workspace.freePort();
        var http = "127.0.0.1:" + Workspace.freePort();
        var command = List.of(
                program.toString(),
                "discovery",
                "--kubeconfig=" + cluster.kubeconfig(),
                "--clusterID=Kubernetes",
                "--grpcAddr=127.0.0.1:" + port,
                "--httpAddr=" + http,
                "--httpsAddr=127.0.0.1:" + Workspace.freePort(),
                "--monitoringAddr=127.0.0.1:" + Workspace.freePort(),
                "--secureGRPCAddr=" + (tlsPort == 0 ? "" : host + ":" + tlsPort),
                "--ctrlz_port=0");
        var settings = new HashMap<>(SETTINGS);
        settings.putAll(more);
        var process = cluster.workspace().start("istiod", command, settings);
        try (var client = HttpClient.newHttpClient()) {
            cluster.workspace()
                    .await("istiod", process, PATIENCE, () -> ready(client, URI.create("http://" + http + "/ready")));
        }
        return new Istiod(process, port, tlsPort);
    }

    /// Its plaintext xDS port.
    public int port() {
        return port;
    }

    /// Processor time it has used so far.
    public Duration processorTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    public long pid() {
        return process.pid();
    }

    public int tlsPort() {
        return tlsPort;
    }

    @Override
    public void close() {
        Workspace.end(process.toHandle());
    }

    private static boolean ready(HttpClient client, URI uri) {
        try {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
