// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.settings.ApiServer;
import io.fathom.app.settings.Settings;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.fleet.agent.AgentConfig;
import io.fathom.fleet.agent.AgentStatus;
import io.fathom.fleet.agent.ClusterOutput;
import io.fathom.fleet.agent.FleetAgent;
import io.fathom.fleet.agent.FolderOutput;
import io.fathom.fleet.agent.LocalControlPlane;
import io.fathom.fleet.agent.ReachSource;
import io.fathom.fleet.agent.RootSource;
import io.fathom.fleet.agent.StockEntries;
import io.fathom.fleet.join.ClusterIdentity;
import io.fathom.fleet.store.RecordSlot;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.fleet.Interest;
import io.fathom.wire.fleet.ServerAddress;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.api.ClusterSource;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.api.MeshQueries;
import io.fathom.wire.kube.folder.FolderConfig;
import io.fathom.wire.kube.folder.FolderSource;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One running agent, what it reads from, and its HTTP port.
final class RunningAgent {
    private static final Logger log = LoggerFactory.getLogger(RunningAgent.class);
    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private static final Duration AGES = Duration.ofSeconds(2);
    private static final String SOFTWARE = "fathom-agent ";

    private final Settings settings;
    private final Parts parts = new Parts();
    private final Timeline timeline = parts.keep(new SystemTimeline());
    private Optional<ControlPlaneLink> plane = Optional.empty();

    private RunningAgent(Settings settings) {
        this.settings = settings;
    }

    /// Throws a [ProblemException] when something is missing.
    static AutoCloseable start(Settings settings, ProgramFrame.Ending ending) {
        var running = new RunningAgent(settings);
        try {
            running.begin(ending);
            return running.parts;
        } catch (RuntimeException e) {
            running.parts.close();
            throw e;
        }
    }

    private void begin(ProgramFrame.Ending ending) {
        var cluster = settings.text(AgentSetting.CLUSTER_ID);
        if (!ClusterIdentity.isName(cluster)) {
            throw settings.bad(
                    AgentSetting.CLUSTER_ID, "is no name of a cluster", "give a DNS name: --cluster-id NAME");
        }
        var folder = text(AgentSetting.MANIFESTS);
        var agent = folder.isPresent() ? onFolder(cluster, Path.of(folder.get())) : onCluster(cluster);
        agent.refused().thenAccept(ending::failed);
        plane.ifPresent(link -> tellAges(link, agent));
        var http = parts.keep(HttpEndpoint.listen(
                address(),
                AgentPages.of(agent, plane),
                "http-port-unavailable",
                "stop whatever uses the port, or choose another one with --http-port; 0 takes any free one"));
        log.atInfo()
                .addKeyValue("cluster", cluster)
                .addKeyValue("http", http.port())
                .log("started");
    }

    private FleetAgent onFolder(String cluster, Path folder) {
        var output = text(AgentSetting.OUTPUT)
                .orElseThrow(() -> settings.bad(AgentSetting.OUTPUT, "", "name a folder to write to: --output DIR"));
        var agent = parts.keep(FleetAgent.start(
                config(cluster, text(AgentSetting.CLUSTER_UID), folder()),
                new FolderOutput(Path.of(output)),
                controlPlane(cluster, Optional.empty()),
                timeline,
                loop("fleet-link")));
        followRootFile(agent);
        parts.keep(FolderSource.open(folder, reader(cluster), FolderConfig.DEFAULT, timeline, agent::changed));
        return agent;
    }

    private FleetAgent onCluster(String cluster) {
        KubeConfig kube = ApiServer.of(settings, AgentSetting.KUBECONFIG, ACCOUNT)
                .orElseThrow(() -> settings.bad(
                        AgentSetting.MANIFESTS,
                        "",
                        "name a folder: --manifests DIR --output DIR, or an API server: --kubeconfig FILE"));
        var client = parts.keep(new KubeClient(kube, KubeSettings.DEFAULT));
        var uid = text(AgentSetting.CLUSTER_UID)
                .or(() -> client.get(KubeResource.NAMESPACES, "", "kube-system").map(namespace -> namespace.uid()));
        var agent = parts.keep(FleetAgent.start(
                config(cluster, uid, state(client)),
                new ClusterOutput(client),
                controlPlane(cluster, Optional.of(client)),
                timeline,
                loop("fleet-link")));
        var queries = MeshQueries.of(reader(cluster), List.of(GatewayManifest.class)).stream()
                .map(query -> query.inNamespace(settings.text(AgentSetting.NAMESPACE)))
                .toList();
        if (!followRootFile(agent)) {
            parts.keep(RootSource.open(client, settings.text(AgentSetting.SYSTEM_NAMESPACE), agent::roots));
        }
        parts.keep(ReachSource.open(client, settings.text(AgentSetting.NAMESPACE), agent::reachable));
        parts.keep(ClusterSource.open(client, queries, reader(cluster), timeline, agent::changed));
        return agent;
    }

    /// Whether there is one.
    private boolean followRootFile(FleetAgent agent) {
        var file = text(AgentSetting.ROOT_FILE);
        file.ifPresent(it -> parts.keep(RootSource.open(Path.of(it), timeline, agent::roots)));
        return file.isPresent();
    }

    /// Now and every few seconds.
    private void tellAges(ControlPlaneLink link, FleetAgent agent) {
        var status = agent.status();
        var age = status.phase() == AgentStatus.AgentPhase.CONNECTED
                ? Optional.<Duration>empty()
                : Optional.of(status.heard()
                        .map(heard -> Duration.between(heard, timeline.instant()))
                        .orElse(Duration.ofMillis(1)));
        link.age(age, Map.of());
        var _ = timeline.at(timeline.instant().plus(AGES), () -> tellAges(link, agent));
    }

    private LocalControlPlane controlPlane(String cluster, Optional<KubeClient> client) {
        if (settings.on(AgentSetting.STOCK_ISTIOD)) {
            var api = client.filter(_ -> text(AgentSetting.CONTROL_PLANE).isEmpty())
                    .orElseThrow(() -> settings.bad(
                            AgentSetting.STOCK_ISTIOD,
                            "is for an API server, and for nobody who has --control-plane",
                            "leave --manifests and --control-plane out, or --stock-istiod"));
            return new StockEntries(
                    api,
                    settings.text(AgentSetting.NAMESPACE),
                    text(AgentSetting.NETWORK).orElse(cluster),
                    timeline);
        }
        plane = ControlPlaneAddress.of(settings)
                .map(address -> new ControlPlaneLink(
                        new ControlPlaneLink.AgentRole(
                                cluster,
                                settings.text(AgentSetting.SYSTEM_NAMESPACE),
                                settings.text(AgentSetting.TRUST_DOMAIN),
                                SOFTWARE + BuildInfo.current().text()),
                        address,
                        client.flatMap(address::replicas),
                        timeline,
                        loop("control-plane")));
        return plane.isPresent() ? plane.get() : LocalControlPlane.NONE;
    }

    private EventLoop loop(String name) {
        var loops = new MultiThreadIoEventLoopGroup(
                1, Thread.ofPlatform().daemon().name(name).factory(), NioIoHandler.newFactory());
        parts.keep(() -> loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync());
        return loops.next();
    }

    private ReaderConfig reader(String cluster) {
        return ReaderConfig.of(cluster, "", settings.text(AgentSetting.SYSTEM_NAMESPACE));
    }

    private RecordSlot.Slots folder() {
        return text(AgentSetting.STATE_DIR)
                .map(folder -> RecordSlot.Slots.inFolder(Path.of(folder)))
                .orElseThrow(() -> settings.bad(
                        AgentSetting.STATE_DIR, "", "name a folder that outlives the program: --state-dir DIR"));
    }

    private RecordSlot.Slots state(KubeClient client) {
        var secret = text(AgentSetting.STATE_SECRET);
        if (secret.isEmpty()) {
            return folder();
        }
        var parts = secret.get().split("/", -1);
        if (parts.length != 2 || parts[0].isEmpty() || parts[1].isEmpty()) {
            throw settings.bad(AgentSetting.STATE_SECRET, "is no Secret", "give --state-secret NAMESPACE/NAME");
        }
        return RecordSlot.Slots.inSecret(client, parts[0], parts[1]);
    }

    private AgentConfig config(String cluster, Optional<String> uid, RecordSlot.Slots state) {
        return new AgentConfig(
                cluster,
                uid,
                servers(),
                text(AgentSetting.TOKEN),
                state,
                text(AgentSetting.STATE_DIR)
                        .map(folder -> RecordSlot.Slots.inFolder(Path.of(folder)))
                        .orElseGet(RecordSlot.Slots::nowhere),
                new AgentConfig.GatewaySettings(
                        settings.text(AgentSetting.NAMESPACE),
                        settings.text(AgentSetting.SYSTEM_NAMESPACE),
                        text(AgentSetting.NETWORK),
                        settings.text(AgentSetting.TRUST_DOMAIN),
                        new GatewayFact.Place(settings.text(AgentSetting.REGION), settings.text(AgentSetting.ZONE)),
                        settings.text(AgentSetting.CONTROL_PLANE).isEmpty()
                                ? AgentConfig.ServiceSource.PEER
                                : AgentConfig.ServiceSource.AGENT),
                interest(),
                SOFTWARE + BuildInfo.current().text());
    }

    private Interest interest() {
        var words = Set.copyOf(settings.words(AgentSetting.IMPORTS));
        if (words.contains("*") || words.isEmpty()) {
            return Interest.ALL;
        }
        var services = words.stream().filter(word -> word.contains("/")).count();
        if (services > 0 && services < words.size()) {
            throw settings.bad(
                    AgentSetting.IMPORTS,
                    "has namespaces and services",
                    "give * for all, namespaces, or services as NAMESPACE/NAME");
        }
        return new Interest(
                services > 0 ? new Interest.InterestScope.Listed(words) : new Interest.InterestScope.Namespaces(words),
                Interest.USUAL_ORIGINS);
    }

    private List<ServerAddress> servers() {
        var words = settings.words(AgentSetting.SERVER);
        var servers = words.stream().map(ServerAddress::parse).toList();
        if (servers.isEmpty() || servers.stream().anyMatch(Optional::isEmpty)) {
            throw settings.bad(AgentSetting.SERVER, "is no address", "name the management server: --server HOST:9900");
        }
        return servers.stream().map(Optional::orElseThrow).toList();
    }

    private Optional<String> text(AgentSetting setting) {
        return Optional.of(settings.text(setting)).filter(value -> !value.isEmpty());
    }

    private InetSocketAddress address() {
        try {
            return new InetSocketAddress(
                    InetAddress.ofLiteral(settings.text(AgentSetting.LISTEN_ADDRESS)),
                    settings.port(AgentSetting.HTTP_PORT));
        } catch (IllegalArgumentException _) {
            throw settings.bad(AgentSetting.LISTEN_ADDRESS, "is not an address", "give one like 127.0.0.1");
        }
    }
}
