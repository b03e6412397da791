// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.base.lang.ProblemException;
import io.fathom.tools.link.FolderAccess;
import io.fathom.tools.link.Linker;
import io.fathom.tools.local.run.RunFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// Runs several clusters of one mesh on one machine, each with an engine: their networks have nothing in common but the
/// addresses of load balancers. The first ones may be on one network.
public final class ClusterEngines {
    private static final Duration FOR_LINKS = Duration.ofSeconds(60);

    private final EngineConfig shared;
    private final LinkWay way;
    private final int flat;
    private final List<RunFolder> runs;
    private final Progress progress;

    private ClusterEngines(EngineConfig shared, int number, LinkWay way, int flat) {
        this.shared = shared;
        this.way = way;
        this.flat = flat;
        this.progress = new Progress(shared.run().progress(), shared.gone());
        this.runs = new ArrayList<>();
        for (int i = 1; i <= number; i++) {
            runs.add(shared.run().cluster(ClusterRole.id(i)));
        }
    }

    /// Never returns, unless they could not be started; then whoever waits has been told.
    ///
    /// @param shared what all of them have
    /// @param flat how many of them, the first ones, are on one network
    public static void run(EngineConfig shared, int number, LinkWay way, int flat) {
        var clusters = new ClusterEngines(shared, number, way, flat);
        Engine.guard(clusters.progress, clusters::run);
    }

    private void run() throws IOException {
        var engines = create();
        Files.write(shared.run().clusters(), names());
        for (var engine : engines) {
            engines.stream()
                    .filter(other -> !other.equals(engine))
                    .forEach(other ->
                            engine.network().reachBalancers(other.network().slot()));
        }
        for (int i = 0; i < flat; i++) {
            for (int j = i + 1; j < flat; j++) {
                engines.get(i).network().joinNodes(engines.get(j).network());
            }
        }
        var fleet = way == LinkWay.FLEET ? Optional.of(LocalFleet.start(shared)) : Optional.<LocalFleet>empty();
        var clusters = start(engines);
        switch (way) {
            case GATEWAYS -> {
                var written = Linker.linkAll(accesses());
                awaitPeers("links: " + written + " Gateways");
            }
            case FLEET -> {
                fleet.orElseThrow().join(engines);
                awaitPeers("fleet: " + engines.size() + " agents");
            }
            case SECRETS, NONE -> {}
        }
        var encrypted = engines.stream().anyMatch(Engine::awaitTraffic);
        progress.step(encrypted ? "traffic: the first request over mutual TLS was answered" : "traffic: none yet");
        progress.end(Progress.READY, new ClustersFarewell(shared, names(), way).text(progress.seconds(), clusters));
    }

    /// Their networks, and what their control planes sign with.
    private List<Engine> create() throws IOException {
        var root = new MeshRoot(InstantSource.system().instant());
        var engines = new ArrayList<Engine>();
        for (var run : runs) {
            Files.createDirectories(run.objects());
            if (shared.run().isRootless()) {
                Files.createFile(run.root().resolve("rootless"));
            }
            var number = engines.size() + 1;
            var role = new ClusterRole(
                    number, number <= flat ? 1 : number, run.root().resolve("cacerts"), read(number));
            root.plug(role.authority(), role.id());
            engines.add(Engine.create(shared.as(run, role), progress.of(role.id())));
        }
        return engines;
    }

    /// The objects of the others that a control plane reads itself.
    private Map<String, Path> read(int number) {
        var read = new HashMap<String, Path>();
        for (int other = 1; other <= runs.size(); other++) {
            if (way == LinkWay.SECRETS && other != number) {
                read.put(ClusterRole.id(other), runs.get(other - 1).objects());
            }
        }
        return read;
    }

    private List<String> names() {
        return runs.stream().map(run -> run.root().getFileName().toString()).toList();
    }

    /// All at once.
    private static List<LocalCluster> start(List<Engine> engines) throws IOException {
        var started = engines.stream()
                .map(engine -> CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return engine.start();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        work -> Thread.ofPlatform().name("engine").start(work)))
                .toList();
        try {
            return started.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case UncheckedIOException io -> throw io.getCause();
                case RuntimeException known -> throw known;
                case null, default -> throw e;
            }
        }
    }

    private List<FolderAccess> accesses() {
        return runs.stream()
                .map(run -> new FolderAccess(run.root().getFileName().toString(), run.root()))
                .toList();
    }

    /// @param done what was done so that they hear each other
    private void awaitPeers(String done) {
        var clusters = accesses();
        var heard = Engine.waitFor(FOR_LINKS, () -> clusters.stream().allMatch(this::hearsAll));
        progress.step(done
                + (heard
                        ? ", all control planes hear each other"
                        : ", and not all control planes hear each other yet: see "
                                + shared.run().up() + " fathomctl multicluster check"));
    }

    private boolean hearsAll(FolderAccess cluster) {
        return cluster.fathomd()
                .map(fathomd -> {
                    try {
                        var synced = 0;
                        for (var row : fathomd.json("/debug/clusterz")) {
                            synced += row.path("syncStatus").asText().equals("synced") ? 1 : 0;
                        }
                        return synced == runs.size();
                    } catch (ProblemException _) {
                        return false; // starts again
                    }
                })
                .orElse(false);
    }
}
