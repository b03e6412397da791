// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.app.memory.MemoryKeeper;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.wire.ca.CaClient;
import io.fathom.wire.ca.CertificateCall;
import io.fathom.wire.ca.RenewedCertificate;
import io.fathom.wire.dial.TrustWatch;
import io.fathom.wire.sds.SecretServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One running companion and its Envoy. Secrets are served before Envoy starts; it waits for those that are still under
/// way.
final class Proxy implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Proxy.class);
    private static final Duration ORDER_TIMEOUT = Duration.ofSeconds(10);

    private final Parts parts;
    private final EnvoyReadiness readiness;
    private final EnvoyDrain drain;
    private final EnvoyProcess envoy;
    private final CompletableFuture<Void> asked = new CompletableFuture<>();
    private final CountDownLatch gone = new CountDownLatch(1);

    /// Returns when Envoy has been started.
    ///
    /// @throws ProblemException when a port, a file or Envoy is missing
    static Proxy start(ProxyConfig config) {
        var parts = new Parts();
        try {
            return new Proxy(config, parts);
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    private Proxy(ProxyConfig config, Parts parts) {
        this.parts = parts;
        var timeline = parts.keep(new SystemTimeline());
        var admin = new EnvoyAdmin(config.ports().admin());
        this.readiness = new EnvoyReadiness(admin);
        this.drain = new EnvoyDrain(admin, config.drain(), timeline);
        var secrets = secrets(config);
        var certificate = certificate(config, secrets, timeline);
        watchRoots(config, secrets, certificate, timeline);
        listen(
                config,
                pages(
                        admin,
                        new OwnMetrics(
                                certificate, timeline, BuildInfo.current().text())));
        this.envoy = parts.keep(EnvoyProcess.start(config));
        var _ = envoy.ended().thenRun(gone::countDown);
        parts.keep(new MemoryKeeper(timeline)).begin();
    }

    private SecretServer secrets(ProxyConfig config) {
        try {
            return parts.keep(SecretServer.start(config.secretsSocket()));
        } catch (IOException e) {
            throw new ProblemException(Problem.ofInput(
                    "secrets-socket",
                    "cannot listen on " + config.secretsSocket() + ": " + e.getMessage(),
                    "make its folder writable, and its name shorter than 100 characters"));
        }
    }

    private RenewedCertificate certificate(ProxyConfig config, SecretServer secrets, Timeline timeline) {
        var call = new CertificateCall(config.authority(), ORDER_TIMEOUT);
        var client = new CaClient(call::create, config.certificateLifetime(), CaClient.Speaks.FOR_ITSELF);
        return parts.keep(
                new RenewedCertificate(client, config.identity(), secrets::publish, timeline, new SecureRandom())
                        .start());
    }

    /// Another root of the control plane means that ours is of no use any more: order at once, not at half of its life.
    private void watchRoots(
            ProxyConfig config, SecretServer secrets, RenewedCertificate certificate, Timeline timeline) {
        parts.keep(new TrustWatch(
                        config.control().trust(),
                        change -> secrets.publish(ProxyConfig.CONTROL_ROOTS, change.roots()),
                        timeline)
                .start());
        parts.keep(new TrustWatch(
                        config.authority().trust(),
                        change -> {
                            if (change instanceof TrustWatch.TrustChange.Replaced) {
                                log.atInfo().log("the root has changed: a certificate is ordered anew");
                                certificate.renew();
                            }
                        },
                        timeline)
                .start());
    }

    private Pages pages(EnvoyAdmin admin, OwnMetrics own) {
        var metrics = new EnvoyMetrics(admin);
        var all = metrics.page(own);
        return new Pages("fathom-proxy")
                .open("/healthz/ready", "Readiness", readiness)
                .open("/stats/prometheus", "Metrics of Envoy and of the companion", all)
                .open("/metrics", "The same", all)
                .open("/stats/envoy", "Metrics of Envoy alone", metrics.page(_ -> {}))
                .action("/drain", "POST lets connections end", _ -> {
                    beginDrain();
                    return Page.Reply.text("ok");
                })
                .action("/quitquitquit", "POST stops the proxy", _ -> {
                    asked.complete(null);
                    return Page.Reply.text("ok");
                });
    }

    private void listen(ProxyConfig config, Pages pages) {
        var address = new InetSocketAddress(
                InetAddress.ofLiteral(config.ipv6() ? "::" : "0.0.0.0"),
                config.ports().agent());
        parts.keep(HttpEndpoint.listen(address, pages, "port-unavailable", "stop whatever uses the port"));
    }

    private void beginDrain() {
        readiness.drain();
        drain.begin();
    }

    /// Done when somebody asked over HTTP to stop.
    CompletableFuture<Void> asked() {
        return asked;
    }

    /// Done with its exit code when Envoy has ended.
    CompletableFuture<Integer> ended() {
        return envoy.ended();
    }

    /// Takes nothing more and waits for what is open, as long as agreed.
    void drain() throws InterruptedException {
        if (gone.getCount() > 0) {
            beginDrain();
            drain.await(gone);
        } else {
            log.atInfo().log("Envoy is gone already");
        }
    }

    @Override
    public void close() {
        parts.close();
    }
}
