// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.BuildInfo;
import io.fathom.app.fathomd.clusters.SummaryPublisher;
import io.fathom.app.fathomd.http.ControlMetrics;
import io.fathom.app.fathomd.http.IdentityMetrics;
import io.fathom.app.fathomd.http.IdentityPages;
import io.fathom.app.fathomd.http.IstioctlPages;
import io.fathom.app.fathomd.http.MeshPages;
import io.fathom.app.fathomd.http.ProblemPage;
import io.fathom.app.fathomd.http.ProgramPages;
import io.fathom.app.fathomd.http.StatusMetrics;
import io.fathom.app.fathomd.http.StreamPages;
import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.work.Parts;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ca.Authority;
import io.fathom.control.ca.TrustDomains;
import io.fathom.control.ca.kube.SecretRootStore;
import io.fathom.control.deploy.GatewayTables;
import io.fathom.control.envoy.EnvoyMesh;
import io.fathom.control.envoy.extension.RegistryFetcher;
import io.fathom.control.envoy.policy.HttpJwksFetcher;
import io.fathom.control.order.OrderProblems;
import io.fathom.control.order.WaypointOrder;
import io.fathom.control.revision.RevisionTags;
import io.fathom.control.status.Statements;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.peering.FeedService;
import io.fathom.wire.xds.AdsConfig;
import io.fathom.wire.xds.AdsGates;
import io.fathom.wire.xds.AdsLimits;
import io.fathom.wire.xds.AdsServer;
import io.fathom.wire.xds.debug.ProtocolFiles;
import io.fathom.wire.xds.store.ResourceStore;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One running control plane: manifests, the mesh made of them, and the ports that serve it.
///
/// [#start] returns when the manifests have been read once and all ports serve. Closing follows the way of the data: no
/// more changes, then streams told to go, then the HTTP port. Any thread may call any method.
public final class Fathomd implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Fathomd.class);
    /// How long the keys of a token issuer are good enough.
    private static final Duration KEY_SETS = Duration.ofMinutes(20);

    private static final Duration FIRST_READING = Duration.ofMinutes(10);

    private final FathomdConfig config;
    private final AmbientMesh mesh;
    private final EnvoyMesh envoys;
    private final GatewayTables gateways;
    private final Statements statements;
    private final ControlMetrics metrics = new ControlMetrics(BuildInfo.current());
    private final CountDownLatch firstBatch = new CountDownLatch(1);
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Parts parts = new Parts(Parts.Order.FIRST_FIRST);
    private final Optional<KubeClient> client;
    private final MeshTrust trust;
    private final MeshSource source;
    private final ClusterParts clusterParts;
    private final RemotesPart remotes;
    private final ProblemList problems;
    private final MeshPages meshPages;
    private final AdsServer ads;
    private final Authority signer;
    private final List<HttpEndpoint> http = new ArrayList<>();
    private final List<HttpEndpoint> health = new ArrayList<>();

    /// What it is for.
    enum Purpose {
        SERVE,
        /// To be asked once; nothing in the cluster may change.
        LOOK
    }

    /// What is kept first is closed first.
    private Fathomd(FathomdConfig config, Purpose purpose, InstantSource clock) {
        this.config = config;
        var derived = DerivedMesh.of(config.ambient(), clock);
        this.mesh = derived.mesh();
        this.envoys = derived.envoys();
        this.gateways = derived.gateways();
        this.statements = new Statements(mesh, envoys.problemsByObject(), gateways.statuses());
        this.client = config.source().kube().map(kube -> new KubeClient(kube, KubeSettings.DEFAULT));
        var store = new ResourceStore(clock);
        this.trust = keep(new MeshTrust(mesh, store));
        var pods = new MeshPods(mesh, config.clusterId());
        keep(mesh.subscribe(pods));
        var opening = openIdentity(purpose, pods, clock);
        try {
            var timeline = new SystemTimeline();
            fetchForProxies(timeline);
            keep(mesh.subscribe(envoys)); // first: who is told that we are ready finds all of it
            var proxies = new XdsProxies(envoys, store);
            var summaries = publish(store, proxies, timeline);
            keep(mesh.subscribe(trust));
            this.source = keep(MeshSource.open(config, client, purpose, clock, this::apply));
            this.remotes = RemotesPart.follow(config, mesh, client, clock, parts);
            followNeeds();
            this.problems = new ProblemList(source, mesh, derived.problems().table(), remotes::problems);
            this.meshPages = new MeshPages(mesh, statements, envoys.problems(), source::problems, config.clusterId());
            var identity = opened(opening);
            identity.follow(summaries::signedWith);
            var gates = purpose == Purpose.SERVE ? followPeers(identity, timeline) : identity.gates();
            this.clusterParts = keep(clusterParts(purpose, identity));
            this.ads = keep(AdsServer.start(adsConfig(identity), store, metrics, clock, gates, envoys));
            proxies.serve(ads.acknowledgements());
            trust.onAddition(remotes::tryAgain);
            trust.onRevocation(remotes::askAnew);
            trust.onRevocation(ads::recheck);
            this.signer = identity.signer();
            keep(identity);
            client.ifPresent(this::keep);
            openPages(pages(identity.pages(), clock));
        } catch (RuntimeException e) {
            var _ = opening.thenAccept(MeshIdentity::close);
            close();
            throw e;
        }
    }

    /// Other clusters tell us what they have, themselves or through the agent of a fleet.
    private AdsGates followPeers(MeshIdentity identity, SystemTimeline timeline) {
        var fleet = remotes.followPeers(
                mesh,
                identity::serving,
                trust::pool,
                credentials -> identity.agents().admit(credentials),
                timeline,
                parts);
        return identity.gates().withFeed(keep(new FeedService(fleet)));
    }

    /// The slow parts of a start go side by side: reading manifests, making keys, loading the TLS library.
    private CompletableFuture<MeshIdentity> openIdentity(Purpose purpose, MeshPods pods, InstantSource clock) {
        var shared = client.filter(_ -> purpose == Purpose.SERVE)
                .map(api -> new SecretRootStore(
                        api, config.systemNamespace(), config.replica().rootSecret()));
        return CompletableFuture.supplyAsync(() -> new MeshIdentity(
                config, client, shared, pods, this::trustDomains, trust::pool, new IdentityMetrics(metrics), clock));
    }

    /// What proxies are told that is not in manifests: keys of token issuers, and modules.
    private void fetchForProxies(SystemTimeline timeline) {
        var fetcher = new HttpJwksFetcher();
        keep(envoys.fetchKeySets(fetcher, timeline, KEY_SETS));
        var modules = new RegistryFetcher(new PullSecrets(client));
        keep(envoys.fetchModules(modules, timeline));
        keep(modules);
        keep(timeline);
        keep(fetcher);
        keep(envoys);
    }

    private SummaryPublisher publish(ResourceStore store, XdsProxies proxies, SystemTimeline timeline) {
        var patience = config.gateways().patience();
        var unkept = new OrderProblems(patience, envoys::report);
        var order = new WaypointOrder(proxies, MeshPublisher.later(store), timeline, patience, unkept);
        keep(mesh.subscribe(new MeshPublisher(mesh, envoys, store, order, metrics)));
        var summaries = new SummaryPublisher(mesh, store, config.clusterId());
        keep(mesh.subscribe(summaries));
        metrics.watch(
                "fathom_addresses_held",
                "Services and workloads that node proxies are not told yet to send through a waypoint.",
                order::holding);
        metrics.watch(
                "fathom_order_abandoned",
                "How often proxies that did not answer were not waited for any longer.",
                unkept::abandoned);
        return summaries;
    }

    private void followNeeds() {
        keep(mesh.subscribe(commit -> {
            if (envoys.changesNeeds(commit)) {
                followNeeded();
            }
        }));
        followNeeded(); // a batch may have come meanwhile
    }

    private AdsConfig adsConfig(MeshIdentity identity) {
        return identity.addTo(AdsConfig.DEFAULT
                .withHosts(config.listening().addresses().stream()
                        .map(Ip::toString)
                        .toList())
                .withPlaintextPort(config.listening().plaintextPort())
                .withLimits(
                        AdsLimits.DEFAULT.withMaxReceiveBytes(config.listening().maxReceiveBytes())));
    }

    private void openPages(Pages pages) {
        ads.show(new IstioctlPages(pages, config.candidate().identity(), BuildInfo.current(), debugNamespaces(config)));
        config.listening()
                .addresses()
                .forEach(address ->
                        http.add(keep(listen(address, config.listening().httpPort(), pages))));
        client.ifPresent(_ -> config.listening()
                .addresses()
                .forEach(address ->
                        health.add(keep(listen(address, config.replica().healthPort(), pages)))));
    }

    /// Throws a [ProblemException] when a port cannot be had or a file cannot be written.
    public static Fathomd start(FathomdConfig config) {
        var fathomd = begin(config, Purpose.SERVE);
        fathomd.clusterParts.start();
        return fathomd;
    }

    /// Like [#start], but for those who only want to know: changes nothing in the cluster.
    public static Fathomd look(FathomdConfig config) {
        return begin(config, Purpose.LOOK);
    }

    private static Fathomd begin(FathomdConfig config, Purpose purpose) {
        var begun = System.nanoTime();
        var fathomd = new Fathomd(config, purpose, InstantSource.system());
        try {
            if (!fathomd.firstBatch.await(FIRST_READING.toSeconds(), TimeUnit.SECONDS)) {
                fathomd.close();
                throw failed("manifests-not-read", "manifests not read after " + FIRST_READING, "see the log");
            }
            fathomd.trust.begin(fathomd.signer);
            fathomd.remotes.await();
        } catch (InterruptedException e) {
            fathomd.close();
            Thread.currentThread().interrupt();
            throw failed("interrupted", "interrupted while starting", "start again");
        }
        log.atInfo()
                .addKeyValue("plaintext", fathomd.plaintextPort())
                .addKeyValue("tls", fathomd.tlsPort())
                .addKeyValue("http", fathomd.httpPort())
                .addKeyValue("ms", Duration.ofNanos(System.nanoTime() - begun).toMillis())
                .log("ready");
        return fathomd;
    }

    public int plaintextPort() {
        return ads.plaintextPort().orElseThrow();
    }

    public int tlsPort() {
        return ads.tlsPort().orElseThrow();
    }

    public int httpPort() {
        return http.getFirst().port();
    }

    /// The port for probes, where there is one.
    public OptionalInt healthPort() {
        return health.stream().mapToInt(HttpEndpoint::port).findFirst();
    }

    /// The port that the API server asks, where there is one.
    public OptionalInt webhookPort() {
        return clusterParts.all(WebhookPart.class).mapToInt(WebhookPart::port).findFirst();
    }

    /// Everything that is not as the authors of the manifests meant, errors first.
    public List<ManifestProblem> problems() {
        return problems.all();
    }

    /// The same without what may pass when something else is ready.
    List<ManifestProblem> lastingProblems() {
        return problems.lasting();
    }

    /// What is served and where to look.
    String welcome() {
        return Welcome.text(
                config,
                meshPages.counts(),
                new Welcome.WelcomePorts(plaintextPort(), tlsPort(), httpPort()),
                lastingProblems().stream().map(ManifestProblem::toString).toList());
    }

    /// Tells probes that we go, serves on while that gets around, then closes.
    void drain() {
        stopping.set(true);
        try {
            Thread.sleep(config.replica().drain());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // not so patient, then
        }
        close();
    }

    @Override
    public void close() {
        stopping.set(true);
        if (closed.getAndSet(true)) {
            return;
        }
        log.atInfo().log("stopping");
        parts.close();
    }

    /// On the thread of the source, one batch after the other.
    private void apply(List<ManifestChange> batch) {
        var begun = System.nanoTime();
        metrics.arrived(batch, mesh);
        mesh.apply(batch);
        metrics.applied(Duration.ofNanos(System.nanoTime() - begun));
        firstBatch.countDown();
    }

    /// What proxies need now: whoever is last knows best.
    private void followNeeded() {
        synchronized (envoys) {
            source.follow(envoys.needed(mesh.cut()));
        }
    }

    private boolean isReady() {
        return firstBatch.getCount() == 0 && remotes.areSettled() && !stopping.get();
    }

    private static MeshIdentity opened(CompletableFuture<MeshIdentity> opening) {
        try {
            return opening.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof ProblemException problem ? problem : e;
        }
    }

    private TrustDomains trustDomains() {
        var names = mesh.trustDomains();
        return new TrustDomains(names.getFirst(), Set.copyOf(names.subList(1, names.size())));
    }

    private Pages pages(IdentityPages identity, InstantSource clock) {
        var pages = new Pages("fathomd").index("/debug").debugList();
        new ProgramPages(BuildInfo.current(), metrics, this::isReady).addTo(pages);
        identity.addTo(pages);
        identity.addTo(metrics, clock);
        clusterParts.addTo(pages);
        source.addTo(pages);
        pages.debug(
                "protoset",
                "The protocol, for grpcurl -protoset",
                _ -> new Page.Reply.Binary(ProtocolFiles.descriptorSet()));
        remotes.addTo(pages, metrics);
        meshPages.addTo(pages);
        new ProblemPage(problems::all).addTo(pages, metrics);
        new StreamPages(ads.streams(), meshPages).addTo(pages);
        metrics.watch(
                "pilot_services", "Services served.", () -> meshPages.counts().services());
        metrics.watch(
                "fathom_workloads",
                "Workloads served.",
                () -> meshPages.counts().workloads());
        metrics.watch(
                "fathom_source_problems",
                "Kinds of objects that cannot be followed now.",
                () -> source.trouble().size());
        metrics.watch(
                "fathom_manifest_problems",
                "Manifests with problems.",
                () -> source.problems().size());
        metrics.watch(
                "fathom_subscriber_failures",
                "How often a part of the control plane failed to take a change in; see the log.",
                mesh::subscriberFailures);
        return pages;
    }

    private static Set<String> debugNamespaces(FathomdConfig config) {
        var namespaces = new HashSet<>(config.replica().debugNamespaces());
        namespaces.add(config.systemNamespace());
        namespaces.add(config.ambient().rootNamespace());
        return namespaces;
    }

    private ClusterParts clusterParts(Purpose purpose, MeshIdentity identity) {
        return client.filter(_ -> purpose == Purpose.SERVE)
                .map(api -> clusterParts(api, identity))
                .orElseGet(ClusterParts::none);
    }

    private ClusterParts clusterParts(KubeClient api, MeshIdentity identity) {
        var tags = keep(RevisionTags.follow(api, config.revision()));
        return ClusterParts.of(new ClusterLink(
                api, config, mesh, gateways, statements, identity, metrics, new StatusMetrics(metrics), tags));
    }

    private HttpEndpoint listen(Ip ip, int port, Pages pages) {
        return HttpEndpoint.listen(
                new InetSocketAddress(InetAddress.ofLiteral(ip.toString()), port),
                pages,
                "http-port-unavailable",
                "stop whatever uses the port, or choose another one with --http-port or --health-port; 0 takes any free"
                        + " one");
    }

    private <T extends AutoCloseable> T keep(T part) {
        return parts.keep(part);
    }

    private static ProblemException failed(String code, String message, String fix) {
        return new ProblemException(new Problem(code, message, fix, Problem.Origin.SERVER, Problem.Retry.SENSIBLE));
    }
}
