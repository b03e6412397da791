// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.model.fleet.ExportChange;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.OriginView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What an agent says and hears of services: exports go up, views of other clusters come down and are kept in a file,
/// so that it starts without a server. Knows no sockets, and the time only as it is told. For one thread.
public final class ServiceExchange {
    private static final Duration KEEP_AFTER = Duration.ofSeconds(5);

    private final ExchangeStore store;
    private final ExportSender exports;
    private final ViewHolder views;
    private final List<FleetDown.PortConflict> conflicts = new ArrayList<>();
    private FactVersion version = FactVersion.NONE;
    private @Nullable Consumer<FleetUp> server;
    private Instant kept = Instant.EPOCH;

    /// Goes on from what was kept.
    ///
    /// @param plane is told of other clusters
    public ServiceExchange(ExchangeStore store, LocalControlPlane plane, Interest interest) {
        this.store = store;
        this.views = new ViewHolder(plane, interest);
        this.exports = new ExportSender(this::nextVersion, store.exportDates());
        store.views(interest).ifPresent(it -> views.restore(it.views(), it.cursor(), it.view()));
    }

    /// The version of the next thing that is said, of whatever kind.
    public FactVersion nextVersion() {
        version = version.next();
        return version;
    }

    /// What the first message of a stream says.
    public FleetUp.Hello hello(String instance, String software, String uid) {
        return new FleetUp.Hello(instance, software, uid, views.cursor(), views.view(), views.interest());
    }

    /// What the control plane of the cluster exports.
    public void exported(ExportChange change, Instant now) {
        exports.changed(change, now);
    }

    /// A stream begins.
    ///
    /// @param out takes what is said on it
    public void connected(FleetDown.Welcome welcome, Consumer<FleetUp> out, Instant now) {
        server = out;
        // a server that was restored may know less than it did: what others have heard must stay older
        var last = welcome.last().compareTo(version) > 0 ? welcome.last() : version;
        version = last.nextIncarnation();
        exports.connected(welcome, out, now);
    }

    /// A stream has ended.
    public void disconnected() {
        server = null;
        exports.disconnected();
        views.disconnected();
    }

    /// Which clusters there are.
    public void peers(Collection<FleetPeer> known) {
        views.peers(known);
    }

    /// Takes what comes on the stream; other messages than those about services do nothing.
    public void take(FleetDown message, Instant now) {
        switch (message) {
            case FleetDown.Views said -> views.take(said);
            case FleetDown.Weights said -> views.take(said);
            case FleetDown.Unsettled said -> views.take(said);
            case FleetDown.Settled said -> views.take(said);
            case FleetDown.Complete said -> views.take(said);
            case FleetDown.RepairBegin said -> views.take(said);
            case FleetDown.RepairEnd said -> views.take(said);
            case FleetDown.Digests said -> views.objection(said).ifPresent(this::say);
            case FleetDown.ResendExports() -> {
                exports.resend();
                exports.tick(now);
            }
            case FleetDown.Receipt said -> exports.answered(said.version(), now);
            case FleetDown.PortConflict said -> {
                conflicts.removeIf(known -> known.path().equals(said.path()));
                if (!said.others().isEmpty()) {
                    conflicts.add(said);
                }
            }
            case FleetDown.Welcome _, FleetDown.Peers _, FleetDown.Revoked _, FleetDown.SlowDown _ -> {}
        }
    }

    private void say(FleetUp message) {
        Optional.ofNullable(server).ifPresent(out -> out.accept(message));
    }

    /// Sees to what has waited. To be called every second.
    public void tick(Instant now) {
        exports.tick(now);
        if (!now.isBefore(kept.plus(KEEP_AFTER))) {
            keep(now);
        }
    }

    /// Puts on disk what is not there yet.
    public void keep(Instant now) {
        kept = now;
        if (exports.takeDatesChanged()) {
            store.keepExportDates(exports.dates());
        }
        if (views.takeChanged()) {
            store.keep(new ExchangeStore.KeptViews(views.all(), views.cursor(), views.view()), views.interest());
        }
    }

    /// Every other cluster with all of its services.
    public Collection<OriginView> known() {
        return views.known();
    }

    /// Services that this cluster and others export with different ports.
    public List<FleetDown.PortConflict> conflicts() {
        return List.copyOf(conflicts);
    }

    public int exportedServices() {
        return exports.count();
    }

    public int knownServices() {
        return views.services();
    }

    /// The cluster is no member any more.
    public void forgetAll(Instant now) {
        disconnected();
        views.clear();
        keep(now);
    }
}
