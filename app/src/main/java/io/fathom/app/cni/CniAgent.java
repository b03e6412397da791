// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.app.cni.plugin.InstallSettings;
import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.posix.NamespaceThread;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.OpenFilesLimit;
import io.fathom.base.posix.PosixException;
import io.fathom.base.work.Parts;
import io.fathom.node.cni.audit.CaptureAudit;
import io.fathom.node.cni.enrol.Adoption;
import io.fathom.node.cni.enrol.EnrolEngine;
import io.fathom.node.cni.enrol.ProbeUpkeep;
import io.fathom.node.cni.enrol.Proxies;
import io.fathom.node.cni.install.Installation;
import io.fathom.node.cni.install.Upgrade;
import io.fathom.node.cni.install.UpgradeCheck;
import io.fathom.node.cni.netns.NamespaceFinder;
import io.fathom.node.cni.netns.NamespaceFolder;
import io.fathom.node.cni.netns.NamespaceView;
import io.fathom.node.cni.netns.ProcScan;
import io.fathom.node.cni.pods.NodePods;
import io.fathom.node.cni.pods.PodChange;
import io.fathom.node.cni.rules.HostRules;
import io.fathom.node.cni.rules.NodeRules;
import io.fathom.node.cni.zds.ProxyServer;
import io.fathom.node.cni.zds.ProxyServerConfig;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.zds.PodInfo;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One running node agent. Parts are started so that each finds what it needs, and stopped in reverse. What it has set
/// up in pods and on the host works on without it.
final class CniAgent implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CniAgent.class);
    private static final Duration FIRST_READING = Duration.ofSeconds(60);

    private final CniConfig config;
    private final Parts parts = new Parts();
    private final CniMetrics metrics = new CniMetrics();
    private final CompletableFuture<List<PodChange>> firstPods = new CompletableFuture<>();
    private final NodePods pods;
    private final NodeRules rules;
    private final EnrolEngine engine;
    private final PodAccess access;
    private final Optional<Installation> installation;
    private volatile boolean watching;
    private volatile boolean closed;

    /// Returns when pods are captured; readiness tells also about the installation.
    ///
    /// @throws ProblemException when a port, a tool or a capability is missing
    static CniAgent start(CniConfig config) {
        return new CniAgent(config);
    }

    private CniAgent(CniConfig config) {
        this.config = config;
        try {
            raiseLimits();
            var health = parts.keep(listen(config.listening().healthPort(), healthPages()));
            folder(config.paths().run());
            Optional.ofNullable(config.paths().proxySocket().toAbsolutePath().getParent())
                    .ifPresent(CniAgent::folder);
            parts.keep(UnixHttpServer.start(config.paths().run().resolve("log.sock"), new PluginLog()));
            this.rules = NodeRules.choose(config.rules());
            var proxies = parts.keep(ProxyServer.bind(config.paths().proxySocket(), ProxyServerConfig.DEFAULT));
            metrics.watch(
                    "ztunnel_connected",
                    "Node proxies connected.",
                    () -> proxies.proxies().size());
            prepareHost();
            var visitor = parts.keep(visitor());
            var view = new NamespaceView(visitor);
            var timeline = parts.keep(new SystemTimeline());
            var finder = finder(view);
            this.access = PodAccess.of(config, timeline, parts);
            this.pods = new NodePods(config.node());
            this.engine = parts.keep(new EnrolEngine(
                    pods,
                    config.eligibility(),
                    config.dns(),
                    new EnrolEngine.Tools(rules.pods(), rules.probes(), through(proxies), finder, access.notes()),
                    timeline,
                    metrics));
            parts.keep(access.open(this::take));
            var first = firstPods();
            Adoption.run(engine, pods, config.eligibility(), finder);
            var upkeep = new ProbeUpkeep(
                    rules.probes(),
                    Set.copyOf(config.rules().context().families().list()));
            var _ = upkeep.sync(engine::states);
            engine.tell(first);
            engine.start();
            proxies.serve(() -> engine.roster().all(), engine::proxyCame);
            var audit = parts.keep(new CaptureAudit(
                    engine,
                    new CaptureAudit.Tools(rules, upkeep, view, proxies::proxies, proxies::delete),
                    metrics,
                    timeline,
                    config.auditPeriod()));
            audit.start();
            var monitoring = parts.keep(listen(config.listening().monitoringPort(), pages(audit, proxies)));
            parts.keep(UnixHttpServer.start(
                    config.paths().run().resolve("pluginevent.sock"),
                    new PluginDoor(pods, engine, config.paths().hostRoot(), metrics::pluginAnswered)));
            this.installation = config.installation().map(plugin -> Installation.start(plugin, metrics));
            watching = true;
            log.atInfo()
                    .addKeyValue("node", config.node())
                    .addKeyValue("rules", rules.engine())
                    .addKeyValue("monitoring", monitoring.port())
                    .addKeyValue("health", health.port())
                    .log("ready");
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    private static void raiseLimits() {
        try {
            var _ = OpenFilesLimit.raise();
        } catch (PosixException e) {
            log.atWarn().addKeyValue("reason", e.getMessage()).log("the limit of open files stays as it is");
        }
    }

    private static void folder(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw CniConfig.failed("folder-unusable", folder + " cannot be made: " + e, "check who owns its parent");
        }
    }

    /// Entries that are there already stay: probes of pods that an earlier run captured pass all the time.
    private void prepareHost() {
        var attempts = HostRules.AT_START.attempts();
        for (var attempt = 1; ; attempt++) {
            try {
                rules.probes().prepare();
                if (!rules.host().inspect().isEmpty()) {
                    rules.host().install();
                }
                return;
            } catch (ProblemException e) {
                if (attempt == attempts) {
                    throw e;
                }
                log.atWarn().log("the host's rules cannot be written yet: {}", e.problem());
                pause(HostRules.AT_START.pause());
            }
        }
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CniConfig.failed("interrupted", "interrupted while starting", "start again");
        }
    }

    private static NamespaceThread visitor() {
        try {
            return NamespaceThread.start();
        } catch (PosixException e) {
            throw new ProblemException(e.problem("cannot-enter-namespaces"));
        }
    }

    private NamespaceFinder finder(NamespaceView view) {
        return config.paths()
                .netns()
                .<NamespaceFinder>map(NamespaceFolder::new)
                .orElseGet(() -> new ProcScan(config.paths().hostProc(), view));
    }

    /// On the thread of the source, one batch after the other.
    private void take(List<ManifestChange> batch) {
        var changes = pods.apply(batch);
        if (!firstPods.complete(changes)) {
            engine.tell(changes);
        }
    }

    private List<PodChange> firstPods() {
        try {
            return firstPods.get(FIRST_READING.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw CniConfig.failed("pods-not-read", "no pods after " + FIRST_READING, "see the log");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CniConfig.failed("interrupted", "interrupted while starting", "start again");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Proxies through(ProxyServer server) {
        return new Proxies() {
            @Override
            public Optional<Problem> add(PodInfo pod, NetworkNamespace namespace) {
                return server.add(pod, namespace);
            }

            @Override
            public void delete(String uid) {
                server.delete(uid);
            }
        };
    }

    private Pages healthPages() {
        return new Pages("fathom-cni")
                .probe("/healthz", "Whether the agent runs", _ -> Page.Reply.text("ok"))
                .probe(
                        "/readyz",
                        "Whether pods are captured",
                        _ -> isReady() ? Page.Reply.text("ready") : Page.Reply.text(503, "not ready"));
    }

    private boolean isReady() {
        return watching && !closed && installation.map(Installation::ready).orElse(true);
    }

    private Pages pages(CaptureAudit audit, ProxyServer proxies) {
        return new Pages("fathom-cni")
                .index("/")
                .open("/metrics", "Metrics", metrics.page())
                .local(
                        "/capture",
                        "Each pod: what is wanted, and what is really there",
                        new CapturePage(config.node(), rules.engine(), audit, proxies::proxies));
    }

    private HttpEndpoint listen(int port, Pages pages) {
        var address = new InetSocketAddress(
                InetAddress.ofLiteral(config.listening().address().toString()), port);
        return HttpEndpoint.listen(
                address, pages, "port-unavailable", "stop whatever uses the port, or choose another one");
    }

    /// Pods stay captured. The plugin and the host's rules stay, too, unless no agent will come after this one.
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        var decision = decision();
        log.atInfo().addKeyValue("decision", decision).log("stopping");
        if (decision == Upgrade.Decision.CLEAN_UP) {
            installation.ifPresent(Installation::remove);
        } else {
            installation.ifPresent(Installation::close);
        }
        parts.close();
        if (decision == Upgrade.Decision.CLEAN_UP) {
            cleanUp();
        }
    }

    private Upgrade.Decision decision() {
        if (config.atEnd() == CniConfig.AtEnd.CLEAN_UP) {
            return Upgrade.Decision.CLEAN_UP;
        }
        return config.installation()
                .flatMap(plugin -> access.client()
                        .map(client -> new UpgradeCheck(
                                client,
                                config.source().ownNamespace(),
                                config.node(),
                                InstallSettings.whenUnknown(plugin))))
                .map(UpgradeCheck::decide)
                .orElse(Upgrade.Decision.KEEP);
    }

    private void cleanUp() {
        try {
            rules.host().remove();
            rules.probes().discard();
            log.atInfo().log("the host's rules are removed");
        } catch (ProblemException e) {
            log.atWarn().log("the host's rules are left: {}", e.problem());
        }
    }
}
