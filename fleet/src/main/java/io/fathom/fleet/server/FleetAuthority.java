// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.fleet.join.ClusterIdentity;
import io.fathom.fleet.store.FileRecord;
import io.fathom.wire.fleet.FleetCertificates;
import io.fathom.wire.fleet.FleetClient;
import io.fathom.wire.fleet.FleetMembership;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.PemKeys;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SigningRequest;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Signs the certificates of a fleet, and only those: it has nothing to do with the roots of meshes. Its root and the
/// server's key are made once and kept, so that tokens and agents know the server again after a restart.
final class FleetAuthority {
    private static final Duration ROOT_LIFE = Duration.ofDays(3650);
    private static final Duration SERVER_LIFE = Duration.ofDays(90);

    private final FleetPolicy policy;
    private final Issuer issuer;
    private final PrivateKey serverKey;
    private final PublicKey serverPublic;

    private FleetAuthority(FleetPolicy policy, SigningMaterial material, PrivateKey serverKey, PublicKey serverPublic) {
        this.policy = policy;
        this.issuer = new Issuer(material);
        this.serverKey = serverKey;
        this.serverPublic = serverPublic;
    }

    /// As the store has it, or a new one.
    static FleetAuthority open(FleetStore store, FleetPolicy policy, Instant now) {
        var record = store.authority(() -> create(policy, now));
        var root = Pem.certificates(pem(record, "root")).getFirst();
        var material = new SigningMaterial(PemKeys.privateKey(pem(record, "root-key")), List.of(root), List.of(root));
        // a certificate of its own carries the public half of the server's key
        var server = Pem.certificates(pem(record, "server")).getFirst();
        return new FleetAuthority(
                policy, material, PemKeys.privateKey(pem(record, "server-key")), server.getPublicKey());
    }

    private static FileRecord create(FleetPolicy policy, Instant now) {
        var rootKeys = KeyAlgorithm.P256.generate();
        var serverKeys = KeyAlgorithm.P256.generate();
        var start = now.minus(Duration.ofMinutes(2)); // for clocks that are behind ours
        var root = RootCertificate.create(rootKeys, policy.fleet(), start, ROOT_LIFE);
        var server = RootCertificate.create(serverKeys, policy.fleet(), start, ROOT_LIFE);
        return FileRecord.builder()
                .add("root", bytes(Pem.encode(root)))
                .add("root-key", bytes(Pem.encode(rootKeys.getPrivate())))
                .add("server", bytes(Pem.encode(server)))
                .add("server-key", bytes(Pem.encode(serverKeys.getPrivate())))
                .build();
    }

    private static byte[] bytes(String pem) {
        return pem.getBytes(StandardCharsets.US_ASCII);
    }

    private static String pem(FileRecord record, String name) {
        var _ = record.required(name);
        return new String(record.bytes(name).orElseThrow(), StandardCharsets.US_ASCII);
    }

    /// What tokens name.
    String serverFingerprint() {
        return FleetCertificates.fingerprint(serverPublic);
    }

    /// A fresh certificate of the server.
    TlsIdentity serverIdentity(Instant now) {
        var leaf = new Leaf(
                SubjectKey.of(serverPublic),
                List.of(FleetClient.serverName(policy.fleet())),
                Leaf.Subject.EMPTY,
                SERVER_LIFE);
        return new TlsIdentity(
                serverKey,
                List.of(issuer.sign(leaf, now).certificate()),
                issuer.material().roots());
    }

    /// A certificate of a member.
    FleetMembership certify(Registration member, SigningRequest request, Instant now) {
        var name = new ClusterIdentity(policy.fleet(), member.uid()).uri();
        var leaf = new Leaf(request.key(), List.of(name), Leaf.Subject.EMPTY, policy.certificateLife());
        return new FleetMembership(
                List.of(issuer.sign(leaf, now).certificate()),
                issuer.material().roots(),
                member.handle(),
                policy.fleet());
    }
}
