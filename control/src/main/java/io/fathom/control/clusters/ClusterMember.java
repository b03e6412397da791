// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ambient.RemoteClusters;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One other cluster. When its way changes, the new way is read completely before the old one is given up; until then
/// the old one counts.
///
/// Objects come on threads of the sources and take turns; [ClusterRegistry] alone calls [#renew] and [#leave].
final class ClusterMember {
    private static final Logger log = LoggerFactory.getLogger(ClusterMember.class);

    private final String cluster;
    private final RemoteClusters mesh;
    private final Duration patience;
    private final Runnable onTimeout;
    private final Object turn = new Object();
    private volatile String origin;
    private volatile Link current;
    private volatile @Nullable Link next;

    /// @param onTimeout when a cluster was not read in time
    ClusterMember(ClusterClaim.Usable claim, RemoteClusters mesh, Duration patience, Runnable onTimeout) {
        this.cluster = claim.cluster();
        this.origin = claim.origin();
        this.mesh = mesh;
        this.patience = patience;
        this.onTimeout = onTimeout;
        this.current = new Link(claim);
    }

    /// @throws ProblemException when there is nothing to read from
    void join() {
        current.open();
    }

    String origin() {
        return origin;
    }

    /// Of what was asked for last.
    String fingerprint() {
        var successor = next;
        return (successor == null ? current : successor).claim.fingerprint();
    }

    /// The same way, written elsewhere.
    void moved(String other) {
        origin = other;
    }

    /// Another way.
    ///
    /// @throws ProblemException when there is nothing to read from; the old way stays
    void renew(ClusterClaim.Usable claim) {
        var link = new Link(claim);
        Link given;
        synchronized (turn) {
            given = next;
            if (given != null) {
                given.over = true;
            }
            next = link;
        }
        if (given != null) {
            given.close();
        }
        try {
            link.open();
        } catch (ProblemException e) {
            synchronized (turn) {
                next = null;
            }
            throw e;
        }
        origin = claim.origin();
    }

    /// Nothing is left of the cluster afterwards.
    void leave() {
        end();
        mesh.remove(cluster);
    }

    /// No more objects come; those that came stay.
    void end() {
        Link successor;
        Link last;
        synchronized (turn) {
            successor = next;
            last = current;
            last.over = true;
            if (successor != null) {
                successor.over = true;
            }
        }
        if (successor != null) {
            successor.close();
        }
        last.close();
    }

    /// Until its first way has been read or has taken too long.
    void await() throws InterruptedException {
        current.settled.await();
    }

    ClusterReport report() {
        var link = current;
        var source = link.source;
        return new ClusterReport(
                cluster,
                origin,
                link.state,
                mesh.network(cluster),
                source == null ? Duration.ZERO : source.silence(),
                mesh.objects(cluster),
                source == null ? Optional.empty() : source.trouble().stream().findFirst());
    }

    List<ManifestProblem> objectProblems() {
        var source = current.source;
        return source == null ? List.of() : source.problems();
    }

    /// One way to the cluster.
    private final class Link {
        private final ClusterClaim.Usable claim;
        private final CountDownLatch settled = new CountDownLatch(1);
        private volatile SyncState state = SyncState.SYNCING;
        private volatile @Nullable RemoteSource source;
        private boolean over; // guarded by turn

        private Link(ClusterClaim.Usable claim) {
            this.claim = claim;
        }

        private void open() {
            source = claim.opener().open(this::take);
            Thread.ofVirtual().name("first reading of cluster " + cluster).start(this::watchTheTime);
        }

        private void take(List<ManifestChange> batch) {
            synchronized (turn) {
                if (over) {
                    return;
                }
                if (state == SyncState.SYNCED) {
                    mesh.apply(cluster, batch);
                    return;
                }
                mesh.replace(cluster, batch);
                state = SyncState.SYNCED;
                settled.countDown();
                takeOver();
                log.atInfo().addKeyValue("cluster", cluster).log("cluster has been read");
            }
        }

        @SuppressWarnings("ReferenceEquality") // links are not compared by what they say
        private void takeOver() {
            if (next == this) {
                var old = current;
                old.over = true;
                current = this;
                next = null;
                Thread.startVirtualThread(old::close); // it may be waiting for its turn
            }
        }

        private void watchTheTime() {
            try {
                if (!settled.await(patience.toMillis(), TimeUnit.MILLISECONDS) && state == SyncState.SYNCING) {
                    state = SyncState.TIMEOUT;
                    onTimeout.run();
                    log.atWarn()
                            .addKeyValue("cluster", cluster)
                            .addKeyValue("problem", trouble())
                            .log("cluster not read in time, going on without it");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                settled.countDown();
            }
        }

        private List<Problem> trouble() {
            var opened = source;
            return opened == null ? List.of() : opened.trouble();
        }

        private void close() {
            state = SyncState.CLOSED;
            settled.countDown();
            var opened = source;
            if (opened != null) {
                opened.close();
            }
        }
    }
}
