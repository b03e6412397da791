// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.verify.fleet.simulation.FleetHistory.FleetSize;
import io.fathom.wire.fleet.FleetCodec;
import io.fathom.wire.fleet.FleetHandler.FleetOutlet;
import io.fathom.wire.fleet.FleetHandler.FleetSession;
import io.fathom.wire.fleet.ServiceFactCodec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a server takes of the heap with a stream of each cluster, when no two clusters have a service of the same name:
/// there is nothing that it could hold once.
final class ServerHeap {
    private static final int FACTS_AT_ONCE = 2000;

    /// A stream of which nobody reads more than there is.
    private static final class Ignored implements FleetOutlet {
        @Override
        public void wake() {}

        @Override
        public void finish() {}
    }

    private ServerHeap() {}

    /// How many bytes the facts of a fleet take.
    static long measure(Path folder, FleetSize size) {
        try (var fleet = new SimulatedFleet(folder, 1)) {
            var sessions = new ArrayList<FleetSession>();
            var before = used();
            for (var i = 0; i < size.clusters(); i++) {
                fleet.join("h" + i, Interest.ALL);
                sessions.add(export(fleet, i, size));
            }
            fleet.clusters.clear(); // the server alone
            var taken = used() - before;
            sessions.forEach(FleetSession::ended);
            return taken;
        }
    }

    private static FleetSession export(SimulatedFleet fleet, int number, FleetSize size) {
        var cluster = fleet.cluster("h" + number);
        var member = Optional.ofNullable(fleet.hub().registrations().get(cluster.uid()))
                .orElseThrow();
        var session = fleet.hub().open(member, "bench", new Ignored());
        var nothing = new Interest(new Interest.InterestScope.Listed(Set.of("no/such")), Interest.USUAL_ORIGINS);
        session.received(new FleetUp.Hello("agent", "bench", cluster.uid(), List.of(), 0, nothing));
        var version = new FactVersion(1, 1);
        session.received(new FleetUp.Gateways(List.of(cluster.gateway()), version));
        var facts = new ArrayList<ServiceFact>();
        for (var i = 0; i < size.services(); i++) {
            var service = cluster.service("ns-" + i % 100, "s" + i, 1 + i % 5, 80);
            var shape = ServiceFactCodec.fact(service, 0);
            facts.add(new ServiceFact(
                    service.namespace(), "service-" + number + "-" + i, shape.body(), shape.spread(), 0));
        }
        for (var from = 0; from < facts.size(); from += FACTS_AT_ONCE) {
            version = version.next();
            var part = facts.subList(from, Math.min(facts.size(), from + FACTS_AT_ONCE));
            session.received(FleetCodec.up(
                    FleetCodec.bytes(new FleetUp.Services(part, List.of(), FleetUp.ServicePart.SNAPSHOT, version))));
        }
        session.received(new FleetUp.ExportsEnd(version.next()));
        while (session.next().isPresent()) {
            // read
        }
        return session;
    }

    @SuppressWarnings("System.gc")
    static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
