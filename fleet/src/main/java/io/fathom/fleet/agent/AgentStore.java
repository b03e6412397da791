// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.store.FileRecord;
import io.fathom.fleet.store.RecordFile;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.wire.fleet.FleetCodec;
import io.fathom.wire.fleet.FleetMembership;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.PemKeys;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What an agent keeps: its key, its membership, and what it last knew of the fleet.
final class AgentStore {
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

    private final RecordFile identity;
    private final RecordFile membership;
    private final RecordFile peers;

    AgentStore(Path folder) {
        RecordFile.createFolder(folder);
        identity = new RecordFile(folder.resolve("cluster"));
        membership = new RecordFile(folder.resolve("membership"));
        peers = new RecordFile(folder.resolve("peers"));
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

    void keep(Collection<FleetPeer> known, Set<String> withdrawn) {
        var record = FileRecord.builder();
        known.forEach(peer -> record.add("peer", FleetCodec.encode(peer)));
        withdrawn.forEach(uid -> record.add("withdrawn", uid));
        peers.write(record.build());
    }
}
