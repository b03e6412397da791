// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.BuildInfo;
import io.fathom.app.fathomd.clusters.ClusterPages;
import io.fathom.app.fathomd.clusters.FollowedPeers;
import io.fathom.app.fathomd.clusters.GatewayNames;
import io.fathom.app.fathomd.clusters.GatewayProber;
import io.fathom.app.fathomd.clusters.KubeconfigFolder;
import io.fathom.app.fathomd.clusters.ReachMemory;
import io.fathom.app.fathomd.clusters.ReachPages;
import io.fathom.app.fathomd.clusters.SecretsWhenNeeded;
import io.fathom.app.fathomd.clusters.VerdictStore;
import io.fathom.app.fathomd.http.ControlMetrics;
import io.fathom.app.http.Pages;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.clusters.ClusterRegistry;
import io.fathom.control.clusters.FleetOrigins;
import io.fathom.control.clusters.RemoteSecrets;
import io.fathom.model.mesh.Identity;
import io.fathom.model.peering.ControlPlanes;
import io.fathom.model.peering.GatewayReach;
import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.hbone.GatewayHandshake;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.peering.PeerClient;
import io.fathom.wire.peering.PeerDialler;
import io.fathom.wire.peering.PeerTunnels;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import io.fathom.wire.tls.TlsPolicy;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/// The other clusters of the mesh: those that settings and Secrets name, each followed as long as it is named. Secrets
/// count while there are several networks. Any thread.
final class RemotesPart {
    private final FathomdConfig config;
    private final ClusterRegistry registry;
    private final Optional<KubeClient> client;
    private final Optional<SecretsWhenNeeded> secrets;
    private Optional<FollowedPeers> peers = Optional.empty();
    private volatile Optional<GatewayProber> prober = Optional.empty();
    private volatile boolean settled;

    private RemotesPart(
            FathomdConfig config,
            ClusterRegistry registry,
            Optional<KubeClient> client,
            Optional<SecretsWhenNeeded> secrets) {
        this.config = config;
        this.client = client;
        this.registry = registry;
        this.secrets = secrets;
    }

    static RemotesPart follow(
            FathomdConfig config, AmbientMesh mesh, Optional<KubeClient> client, InstantSource clock, Parts parts) {
        var registry = parts.keep(new ClusterRegistry(
                config.clusterId(), mesh.remotes(), config.remotes().patience()));
        registry.want("folders", RemoteClaims.folders(config, clock));
        var kubeconfigs = RemoteClaims.kubeconfigs(config, clock);
        config.remotes()
                .kubeconfigs()
                .ifPresent(folder -> parts.keep(KubeconfigFolder.follow(folder, registry, kubeconfigs)));
        var secrets = client.filter(_ -> config.remotes().secrets() == RemotesConfig.SecretsUse.FOLLOWED)
                .map(api -> parts.keep(SecretsWhenNeeded.follow(
                        mesh,
                        registry,
                        () -> RemoteSecrets.follow(api, config.systemNamespace(), registry, kubeconfigs))));
        return new RemotesPart(config, registry, client, secrets);
    }

    /// Begins to follow clusters that Gateways stand for. Before pages and problems are asked for.
    ///
    /// @param identity what we show to their control planes
    /// @param trust whose roots vouch for which trust domain
    /// @param agents who may speak for the fleet
    FleetOrigins followPeers(
            AmbientMesh mesh,
            Supplier<TlsIdentity> identity,
            Supplier<Optional<TrustPool>> trust,
            Function<Credentials, Admission<String>> agents,
            Timeline timeline,
            Parts parts) {
        var fleet = new FleetOrigins(
                new FleetOrigins.FleetSettings(
                        config.clusterId(),
                        BuildInfo.current().text(),
                        agents,
                        cluster -> registry.clusters().contains(cluster) || FollowedPeers.isNear(mesh, cluster),
                        cluster -> FollowedPeers.hasGateway(mesh, cluster),
                        this::reach,
                        timeline),
                mesh.peers());
        var loops = new MultiThreadIoEventLoopGroup(
                1, Thread.ofPlatform().daemon().name("peers").factory(), NioIoHandler.newFactory());
        var loop = loops.next();
        var tls = new MeshTls(
                new PeerRules(Set.of(), _ -> false, trust, timeline),
                new TlsPolicy(TlsPolicy.Versions.TLS13, config.ambient().keyExchange()));
        var self = new Identity(config.mesh().trustDomain(), config.systemNamespace(), ControlPlanes.ACCOUNT);
        var tunnels = parts.keep(new PeerTunnels(self, identity, tls, loop));
        peers = Optional.of(parts.keep(FollowedPeers.follow(
                mesh,
                registry,
                fleet,
                new PeerClient.PeerSettings(
                        config.clusterId(),
                        mesh::network,
                        self.namespace(),
                        self.serviceAccount(),
                        PeerDialler.ofMesh(identity, tls, tunnels),
                        timeline,
                        loop))));
        var store = client.<VerdictStore>map(api -> new VerdictStore.InCluster(api, config.systemNamespace()))
                .orElseGet(() ->
                        new VerdictStore.InFile(config.source().stateFolder().resolve("gateways")));
        parts.keep(GatewayNames.follow(mesh, timeline));
        prober = Optional.of(parts.keep(GatewayProber.follow(
                mesh,
                config.clusterId(),
                new GatewayProber.ProbeSettings(
                        new GatewayHandshake(tls, loop), identity, timeline, new ReachMemory(store)))));
        parts.keep((AutoCloseable)
                () -> { // last: streams end on it
                    var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
                });
        return fleet;
    }

    /// Those that do not answer may be trusted now.
    void tryAgain() {
        peers.ifPresent(FollowedPeers::tryAgain);
    }

    /// Those that are followed may not be trusted any more.
    void askAnew() {
        peers.ifPresent(FollowedPeers::askAnew);
    }

    /// Waits as long as agreed; a cluster that does not come in time comes later.
    void await() throws InterruptedException {
        if (secrets.isPresent()) {
            secrets.get().await(config.remotes().patience());
        }
        registry.await();
        settled = true;
    }

    /// Whether they are there, or have been waited for long enough.
    boolean areSettled() {
        return settled;
    }

    List<ManifestProblem> problems() {
        var problems = new ArrayList<>(registry.problems());
        secrets.ifPresent(found -> problems.addAll(found.problems()));
        peers.ifPresent(found -> problems.addAll(found.problems()));
        prober.ifPresent(found -> problems.addAll(found.problems()));
        return problems;
    }

    void addTo(Pages pages, ControlMetrics metrics) {
        new ClusterPages(
                        config.clusterId(),
                        registry,
                        () -> peers.map(FollowedPeers::reports).orElse(List.of()),
                        () -> secrets.map(SecretsWhenNeeded::events).orElse(Map.of()))
                .addTo(pages, metrics);
        new ReachPages(this::reach).addTo(pages, metrics);
    }

    private List<GatewayReach> reach() {
        return prober.map(GatewayProber::reach).orElse(List.of());
    }
}
