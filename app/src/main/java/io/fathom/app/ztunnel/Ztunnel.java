package io.fathom.app.ztunnel;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.posix.OpenFilesLimit;
import io.fathom.base.posix.PosixException;
import io.fathom.model.mesh.Ip;
import io.fathom.model.routing.Balancer;
import io.fathom.model.routing.OutboundRouter;
import io.fathom.node.dns.DnsConfig;
import io.fathom.node.dns.HostResolver;
import io.fathom.node.identity.CaClient;
import io.fathom.node.identity.CertificateStore;
import io.fathom.node.identity.LocalCertificates;
import io.fathom.node.identity.RevocationFile;
import io.fathom.node.inpod.PodRegistry;
import io.fathom.node.inpod.PodStatus;
import io.fathom.node.inpod.ZdsSession;
import io.fathom.node.proxy.outbound.EndpointLoad;
import io.fathom.node.proxy.pod.NodeParts;
import io.fathom.node.proxy.pod.PodPart;
import io.fathom.node.proxy.pod.PodPorts;
import io.fathom.node.proxy.pod.PodStarter;
import io.fathom.node.proxy.pod.ServedPod;
import io.fathom.node.socket.OriginalDestination;
import io.fathom.node.socket.OwnSockets;
import io.fathom.node.socket.PodSockets;
import io.fathom.node.socket.SocketConfig;
import io.fathom.node.state.LocalMesh;
import io.fathom.node.state.NodeState;
import io.fathom.node.state.NodeStateConfig;
import io.fathom.node.telemetry.AccessFormat;
import io.fathom.node.telemetry.AccessLog;
import io.fathom.node.telemetry.NodeMetrics;
import io.fathom.node.telemetry.Telemetry;
import io.fathom.wire.ca.CertificateConnection;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import io.fathom.wire.xds.client.NodeDescription;
import io.fathom.wire.xds.client.XdsClientConfig;
import io.fathom.wire.zds.PodInfo;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One running node proxy. Parts are started so that each finds what it needs, and stopped in reverse; pods are taken
/// only once the mesh is known.
final class Ztunnel implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Ztunnel.class);
    private static final Duration CA_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration DEMAND_PATIENCE = Duration.ofSeconds(5);
    private static final Path RESOLVERS = Path.of("/etc/resolv.conf");
    private static final String STATE = "state manager";
    private static final String PROXY = "proxy";
    private static final String PODS = "workload proxy manager";

    private final ZtunnelConfig config;
    private final Readiness readiness = new Readiness();
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final NodeMetrics metrics = new NodeMetrics(BuildInfo.current().text());
    private final List<ServedPod> own = new ArrayList<>();
    private final CompletableFuture<Void> asked = new CompletableFuture<>();
    private final List<PodPart> podParts = new ArrayList<>();
    private Optional<PodRegistry> registry = Optional.empty();

    private Ztunnel(ZtunnelConfig config) {
        this.config = config;
    }

    /// Returns when everything listens; [Readiness] tells when pods are served.
    ///
    /// @throws ProblemException when a port or a capability is missing
    static Ztunnel start(ZtunnelConfig config) {
        var ztunnel = new Ztunnel(config);
        try {
            ztunnel.open();
        } catch (RuntimeException e) {
            ztunnel.close();
            throw e;
        }
        return ztunnel;
    }

    private void open() {
        raiseLimits();
        readiness.await(STATE);
        readiness.await(PROXY);
        listen(
                "readiness",
                anywhere(config.ports().readiness()),
                new Pages("ztunnel").open("/healthz/ready", "Readiness", readiness));
        var timeline = keep(new SystemTimeline());
        var state = keep(NodeState.start(stateConfig(), new XdsCounts(metrics), timeline));
        var certificates = certificates(state, timeline);
        var tls = new MeshTls(rules(certificates, timeline));
        var loops = loops();
        var accessLog = keep(new AccessLog(
                new FileOutputStream(FileDescriptor.out),
                config.logging().json() ? AccessFormat.JSON : AccessFormat.PLAIN));
        var load = new EndpointLoad();
        var servers = new ResolverFile(RESOLVERS);
        var random = new SecureRandom();
        var names = new HostResolver(loops.next(), new OwnSockets(config.sockets()), servers, timeline, random);
        var nodeParts = new NodeParts(
                new LiveMesh(state),
                new OutboundRouter(config.network(), config.proxy().ports(), new Balancer(load)),
                load,
                (name, family) -> names.resolve(name, family).thenApply(Ztunnel::found),
                new StoredCertificates(certificates),
                tls,
                config.tunnels(),
                new Telemetry(metrics, accessLog, timeline),
                loops,
                OriginalDestination::of,
                config.proxy());
        if (config.dns().enabled()) {
            podParts.add(new PodDns(loops, servers, dnsConfig(), new DnsCounts(metrics), timeline, random));
        }
        admin(state, certificates);
        listen("metrics", anywhere(config.ports().metrics()), metricsPages());
        var serving = config.dedicated()
                .<Runnable>map(pod -> () -> serveOne(pod, nodeParts))
                .orElseGet(() -> shared(nodeParts, timeline));
        var _ = state.ready()
                .thenRun(() -> {
                    log.atInfo().log("the mesh is known");
                    serving.run();
                    readiness.done(PROXY);
                    readiness.done(STATE);
                })
                .exceptionally(e -> {
                    log.atError().setCause(e).log("pods cannot be served");
                    asked.complete(null);
                    return null;
                });
    }

    private static void raiseLimits() {
        try {
            var _ = OpenFilesLimit.raise();
        } catch (PosixException e) {
            log.atWarn().addKeyValue("reason", e.getMessage()).log("the limit of open files stays as it is");
        }
    }

    private NodeStateConfig stateConfig() {
        var description = new NodeDescription(
                Optional.of(config.own().ip()).filter(ip -> !ip.isEmpty()),
                config.own().pod(),
                config.own().namespace(),
                config.node(),
                config.metadata(),
                config.jsonMetadata());
        var scope = switch (config.subscription()) {
            case EVERYTHING -> XdsClientConfig.Scope.ALL;
            case ON_DEMAND -> XdsClientConfig.Scope.ON_DEMAND;
        };
        return new NodeStateConfig(
                config.node(),
                config.localXds().map(source -> switch (source) {
                    case ZtunnelConfig.LocalXds.InFile(var file) -> LocalMesh.read(file);
                    case ZtunnelConfig.LocalXds.Inline(var yaml) -> LocalMesh.parse("LOCAL_XDS", yaml);
                }),
                config.xds().map(server -> new XdsClientConfig(server, description, scope, DEMAND_PATIENCE)));
    }

    private CertificateStore certificates(NodeState state, SystemTimeline timeline) {
        var server = config.ca()
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "ca-address-missing",
                        "CA_ADDRESS is empty: nobody would issue certificates",
                        "give its address")));
        var connection = keep(new CertificateConnection(server, CA_TIMEOUT));
        var speaks = config.dedicated().isPresent() ? CaClient.Speaks.FOR_ITSELF : CaClient.Speaks.FOR_WORKLOADS;
        var client = new CaClient(connection::create, config.certificateLifetime(), speaks);
        return keep(
                LocalCertificates.following(state, config.node(), client, CertificateStore.Config.DEFAULT, timeline));
    }

    private PeerRules rules(CertificateStore certificates, SystemTimeline timeline) {
        return config.revocations()
                .map(file -> {
                    var revocations = keep(new RevocationFile(file, timeline));
                    Predicate<List<X509Certificate>> revoked = chain -> revocations
                            .current()
                            .revoked(chain, roots(certificates))
                            .isPresent();
                    keep(revocations.listen(
                            _ -> served().forEach(pod -> pod.ledger().cutRevoked(revoked))));
                    return new PeerRules(Set.of(), revoked, timeline);
                })
                .orElseGet(() -> PeerRules.of(Set.of(), timeline));
    }

    private static List<X509Certificate> roots(CertificateStore certificates) {
        return certificates.states().stream()
                .flatMap(state -> state.certificate().stream())
                .flatMap(certificate -> certificate.roots().stream())
                .distinct()
                .toList();
    }

    private Stream<ServedPod> served() {
        return pods().stream()
                .flatMap(status -> status instanceof PodStatus.Up(PodInfo info, ServedPod pod)
                                && pod.info().equals(info)
                        ? Stream.of(pod)
                        : Stream.of());
    }

    private static Optional<Ip> found(HostResolver.Resolution resolution) {
        return switch (resolution) {
            case HostResolver.Resolution.Found(var ip) -> Optional.of(ip);
            case HostResolver.Resolution.Failed failed -> {
                log.atDebug().addKeyValue("problem", failed.problem()).log("an endpoint cannot be reached by name");
                yield Optional.empty();
            }
        };
    }

    private DnsConfig dnsConfig() {
        return new DnsConfig(
                config.clusterDomain(),
                Optional.of(config.preferredNamespace()).filter(name -> !name.isEmpty()),
                config.sockets().families() == SocketConfig.Families.BOTH ? DnsConfig.Ipv6.ON : DnsConfig.Ipv6.OFF,
                Optional.empty());
    }

    private EventLoopGroup loops() {
        var group = new MultiThreadIoEventLoopGroup(
                config.threads(), new DefaultThreadFactory("ztunnel", true), EpollIoHandler.newFactory());
        keep(() -> group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS));
        return group;
    }

    /// In a pod of its own: serves the namespace that it is in.
    private void serveOne(ZtunnelConfig.DedicatedTo pod, NodeParts nodeParts) {
        var info = new PodInfo(pod.name(), pod.name(), pod.namespace(), pod.serviceAccount());
        own.add(keep(ServedPod.start(info, new OwnSockets(config.sockets()), ports(), podParts, nodeParts)));
    }

    /// For all pods of the node: proves at once that it can, begins when told.
    private Runnable shared(NodeParts nodeParts, SystemTimeline timeline) {
        readiness.await(PODS);
        var sockets = keep(PodSockets.start(config.sockets()));
        var pods = keep(new PodRegistry(
                sockets,
                new PodStarter(ports(), podParts, nodeParts),
                timeline,
                new PodCounts(metrics, readiness, PODS)));
        registry = Optional.of(pods);
        serveOurselves(nodeParts);
        return () -> keep(ZdsSession.start(
                config.agent(),
                pods,
                problem -> log.atError().addKeyValue("problem", problem).log("the node agent broke the protocol"),
                RandomGenerator.getDefault()));
    }

    /// We are a workload too: metrics can be had over HBONE.
    private void serveOurselves(NodeParts nodeParts) {
        var us = config.own();
        if (us.pod().isEmpty()
                || us.namespace().isEmpty()
                || us.serviceAccount().isEmpty()) {
            return;
        }
        var info = new PodInfo(us.pod(), us.pod(), us.namespace(), us.serviceAccount());
        var plain = new SocketConfig(
                config.sockets().mark(),
                config.sockets().portReuse(),
                SocketConfig.KeepSource.NEVER,
                config.sockets().families(),
                config.sockets().keepalive());
        own.add(keep(
                ServedPod.start(info, new OwnSockets(plain), PodPorts.hboneOnly(wildcard()), List.of(), nodeParts)));
    }

    private PodPorts ports() {
        var ports = PodPorts.standard(wildcard());
        return config.socks() == ZtunnelConfig.Socks.ON ? ports.withSocks() : ports;
    }

    private Ip wildcard() {
        return Ip.parse(config.sockets().families() == SocketConfig.Families.BOTH ? "::" : "0.0.0.0")
                .orElseThrow();
    }

    private List<PodStatus> pods() {
        return registry.map(PodRegistry::pods)
                .orElseGet(() -> own.stream()
                        .<PodStatus>map(pod -> new PodStatus.Up(pod.info(), pod))
                        .toList());
    }

    private void admin(NodeState state, CertificateStore certificates) {
        var pages = new Pages("ztunnel")
                .index("/")
                .local(
                        "/config_dump",
                        "What the proxy knows and does",
                        new NodeDumpPage(state, certificates, this::pods, config, BuildInfo.current()))
                .action(
                        "/logging",
                        "POST ?level=LEVEL changes how much is logged",
                        new LogLevelPage(config.logging().level()))
                .action("/quitquitquit", "POST stops the proxy", _ -> {
                    asked.complete(null);
                    return Page.Reply.text("shutdown now");
                })
                .debug("pprof/profile", "A recording of JDK Flight Recorder: ?seconds=10", new ProfilePage());
        listen(
                "admin",
                new InetSocketAddress(
                        InetAddress.ofLiteral("127.0.0.1"), config.ports().admin()),
                pages);
        try {
            listen(
                    "admin",
                    new InetSocketAddress(
                            InetAddress.ofLiteral("::1"), config.ports().admin()),
                    pages);
        } catch (ProblemException e) {
            log.atDebug().addKeyValue("reason", e.problem()).log("no IPv6 loopback");
        }
    }

    private Pages metricsPages() {
        Page page = _ -> new Page.Reply.Text(
                200, "application/openmetrics-text;charset=utf-8;version=1.0.0", metrics.openMetrics());
        return new Pages("ztunnel").open("/metrics", "Metrics", page).open("/stats/prometheus", "Metrics", page);
    }

    private InetSocketAddress anywhere(int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(wildcard().toString()), port);
    }

    private void listen(String what, InetSocketAddress address, Pages pages) {
        try {
            keep(HttpEndpoint.start(address, pages));
        } catch (IOException e) {
            throw new ProblemException(new Problem(
                    "port-unavailable",
                    "cannot listen on " + address + " for " + what + ": " + e.getMessage(),
                    "stop whatever uses the port",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
    }

    boolean isReady() {
        return readiness.isReady();
    }

    /// Done when somebody asked over HTTP to stop, or it cannot go on.
    CompletableFuture<Void> asked() {
        return asked;
    }

    /// Takes nothing more and waits for what is open, but not longer than agreed.
    void drain() {
        log.atInfo().addKeyValue("deadline", config.termination()).log("draining");
        var all = new ArrayList<CompletableFuture<Void>>();
        registry.ifPresent(pods -> all.add(pods.drain()));
        own.forEach(pod -> all.add(pod.drain()));
        try {
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                    .get(config.termination().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            log.atInfo().log("connections are cut: the deadline has passed");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        for (var part = parts.pollLast(); part != null; part = parts.pollLast()) {
            try {
                part.close();
            } catch (Exception e) {
                log.atWarn().setCause(e).log("a part did not stop cleanly"); // the others have to stop all the same
            }
        }
    }

    private synchronized <T extends AutoCloseable> T keep(T part) {
        parts.add(part);
        return part;
    }
}
