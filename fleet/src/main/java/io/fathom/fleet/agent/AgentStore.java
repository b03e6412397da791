// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.store.FileRecord;
import io.fathom.fleet.store.RecordSlot;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.ServiceView;
import io.fathom.wire.fleet.FleetCodec;
import io.fathom.wire.fleet.FleetMembership;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.PemKeys;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What an agent keeps: its key, its membership, and what it last knew of the fleet.
final class AgentStore implements ExchangeStore {
    private static final int VIEWS_PER_LINE = 2000;
    private static final Logger log = LoggerFactory.getLogger(AgentStore.class);

    /// A membership with the key it is for.
    ///
    /// @param token id of the token that it came with
    record FleetMember(
            KeyPair keys, FleetMembership membership, String cluster, String token, MemberStanding standing) {
        FleetMember with(FleetMembership renewed) {
            return new FleetMember(keys, renewed, cluster, token, standing);
        }

        FleetMember left() {
            return new FleetMember(keys, membership, cluster, token, MemberStanding.LEFT);
        }

        @Override
        public String toString() {
            return "FleetMember[cluster=" + cluster + ", standing=" + standing + "]";
        }
    }

    /// Whether the server still takes us for a member, as far as we know.
    enum MemberStanding {
        MEMBER,
        LEFT
    }

    private final RecordSlot identity;
    private final RecordSlot membership;
    private final RecordSlot peers;
    private final RecordSlot views;
    private final RecordSlot exports;

    /// @param slots for little that must not be lost
    /// @param cache for much that could be learnt again
    AgentStore(RecordSlot.Slots slots, RecordSlot.Slots cache) {
        identity = slots.slot("cluster");
        membership = slots.slot("membership");
        peers = slots.slot("peers");
        views = cache.slot("services");
        exports = cache.slot("exports");
    }

    /// One for a cluster that says nothing of itself.
    String madeUpUid() {
        var known = identity.read().flatMap(record -> record.text("uid"));
        if (known.isPresent()) {
            return known.get();
        }
        var made = UUID.randomUUID().toString();
        identity.write(FileRecord.builder().add("uid", made).build());
        return made;
    }

    /// @throws ProblemException when the file is damaged
    Optional<FleetMember> member() {
        return membership.read().map(record -> {
            var chain = Pem.certificates(pem(record, "chain"));
            return new FleetMember(
                    new KeyPair(chain.getFirst().getPublicKey(), PemKeys.privateKey(pem(record, "key"))),
                    new FleetMembership(
                            chain,
                            Pem.certificates(pem(record, "roots")),
                            Integer.parseInt(record.required("handle")),
                            record.required("fleet")),
                    record.required("cluster"),
                    record.required("token"),
                    MemberStanding.valueOf(record.required("standing")));
        });
    }

    void keep(FleetMember member) {
        var belonging = member.membership();
        membership.write(FileRecord.builder()
                .add("cluster", member.cluster())
                .add("fleet", belonging.fleet())
                .add("handle", Integer.toString(belonging.handle()))
                .add("token", member.token())
                .add("standing", member.standing().name())
                .add("key", bytes(Pem.encode(member.keys().getPrivate())))
                .add("chain", bytes(Pem.encode(belonging.chain())))
                .add("roots", bytes(Pem.encode(belonging.roots())))
                .build());
    }

    private static byte[] bytes(String pem) {
        return pem.getBytes(StandardCharsets.US_ASCII);
    }

    private static String pem(FileRecord record, String name) {
        var _ = record.required(name);
        return new String(record.bytes(name).orElseThrow(), StandardCharsets.US_ASCII);
    }

    /// What was known of the fleet; nothing if that cannot be read, which costs nothing that is written already.
    PeerBook peers() {
        var book = new PeerBook();
        try {
            peers.read().ifPresent(record -> {
                record.blobs("peer").forEach(bytes -> book.put(FleetCodec.peer(bytes)));
                record.texts("withdrawn").forEach(book::withdraw);
            });
            return book;
        } catch (ProblemException | IllegalArgumentException e) {
            log.atWarn().addKeyValue("problem", e.getMessage()).log("what was known of the fleet is not used");
            return new PeerBook();
        }
    }

    @Override
    public Optional<KeptViews> views(Interest interest) {
        try {
            return views.read().map(record -> {
                var all = new ArrayList<ServiceView>();
                for (var bytes : record.blobs("services")) {
                    if (FleetCodec.down(bytes) instanceof FleetDown.Views said) {
                        all.addAll(said.views());
                    }
                }
                var end = record.bytes("end").map(FleetCodec::down);
                return end.isPresent() && end.get() instanceof FleetDown.Complete(var marks, var view)
                        ? new KeptViews(all, marks, record.required("interest").equals(text(interest)) ? view : 0)
                        : new KeptViews(all, List.of(), 0);
            });
        } catch (ProblemException | IllegalArgumentException e) {
            log.atWarn().addKeyValue("problem", e.getMessage()).log("what was known of services is not used");
            return Optional.empty();
        }
    }

    @Override
    public void keep(KeptViews kept, Interest interest) {
        var record = FileRecord.builder().add("interest", text(interest));
        var all = kept.views();
        for (var from = 0; from < all.size(); from += VIEWS_PER_LINE) {
            var part = all.subList(from, Math.min(all.size(), from + VIEWS_PER_LINE));
            record.add("services", FleetCodec.bytes(new FleetDown.Views(part)));
        }
        record.add("end", FleetCodec.bytes(new FleetDown.Complete(kept.cursor(), kept.view())));
        views.write(record.build());
    }

    private static String text(Interest interest) {
        return interest.mostOrigins() + " "
                + switch (interest.scope()) {
                    case Interest.InterestScope.Everything() -> "*";
                    case Interest.InterestScope.Namespaces(var names) -> "namespaces " + new TreeSet<>(names);
                    case Interest.InterestScope.Listed(var paths) -> "services " + new TreeSet<>(paths);
                };
    }

    @Override
    public Map<String, Long> exportDates() {
        var dates = new HashMap<String, Long>();
        try {
            exports.read()
                    .ifPresent(record -> record.texts("service").forEach(line -> {
                        var space = line.indexOf(' ');
                        dates.put(line.substring(space + 1), Long.parseLong(line.substring(0, space)));
                    }));
            return dates;
        } catch (ProblemException | IllegalArgumentException | IndexOutOfBoundsException e) {
            log.atWarn().addKeyValue("problem", e.getMessage()).log("since when services are exported is not known");
            return Map.of();
        }
    }

    @Override
    public void keepExportDates(Map<String, Long> dates) {
        var record = FileRecord.builder();
        new TreeMap<>(dates).forEach((path, date) -> record.add("service", date + " " + path));
        exports.write(record.build());
    }

    void keep(Collection<FleetPeer> known, Set<String> withdrawn) {
        var record = FileRecord.builder();
        known.forEach(peer -> record.add("peer", FleetCodec.encode(peer)));
        withdrawn.forEach(uid -> record.add("withdrawn", uid));
        peers.write(record.build());
    }
}
