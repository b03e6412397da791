// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RenewedCertificateTest {
    private static final Instant START = Instant.parse("2026-11-16T12:00:00Z");
    private static final Identity WAYPOINT = new Identity("cluster.local", "shop", "waypoint");

    private final ManualTimeline timeline = new ManualTimeline(START);
    private final List<TlsIdentity> heard = new ArrayList<>();
    private int asked;
    private boolean broken;
    private Runnable during = () -> {};

    @Test
    void givenALifeOfADay_thenRenewedAroundItsHalf() {
        try (var _ = certificate().start()) {
            timeline.advance(Duration.ofSeconds(1));
            assertThat(heard).hasSize(1);
            timeline.advance(Duration.ofHours(10));
            assertThat(heard).hasSize(1);
            timeline.advance(Duration.ofHours(4));
            assertThat(heard).hasSize(2);
            assertThat(heard.getLast().leaf().getSerialNumber())
                    .isNotEqualTo(heard.getFirst().leaf().getSerialNumber());
        }
    }

    @Test
    void givenAnAuthorityThatFails_thenTriedAgain_andTheOldOneIsKept() {
        broken = true;
        try (var certificate = certificate().start()) {
            timeline.advance(Duration.ofSeconds(10));
            assertThat(asked).isBetween(3, 6);
            assertThat(certificate.current()).isEmpty();
            broken = false;
            timeline.advance(Duration.ofSeconds(10));
            assertThat(heard).hasSize(1);
            broken = true;
            timeline.advance(Duration.ofHours(14));
            assertThat(certificate.current()).contains(heard.getFirst());
            assertThat(certificate.counts().failed()).isGreaterThan(10);
        }
    }

    @Test
    void whenToldToRenew_thenAtOnce_andAtHalfOfTheLifeOfTheNewOne() {
        try (var certificate = certificate().start()) {
            timeline.advance(Duration.ofSeconds(1));
            certificate.renew();
            timeline.advance(Duration.ofSeconds(1));
            assertThat(heard).hasSize(2);
            timeline.advance(Duration.ofHours(10));
            assertThat(heard).hasSize(2);
            timeline.advance(Duration.ofHours(4));
            assertThat(heard).hasSize(3);
        }
    }

    @Test
    void whenToldToRenewWhileOneIsUnderWay_thenOnceMore() {
        try (var certificate = certificate().start()) {
            during = () -> {
                during = () -> {};
                certificate.renew();
            };
            timeline.advance(Duration.ofSeconds(1));
            assertThat(heard).hasSize(2);
            timeline.advance(Duration.ofHours(10));
            assertThat(heard).hasSize(2);
        }
    }

    @Test
    void givenFailures_whenToldToRenew_thenAtOnce() {
        broken = true;
        try (var certificate = certificate().start()) {
            timeline.advance(Duration.ofMinutes(10));
            broken = false;
            certificate.renew();
            timeline.advance(Duration.ofSeconds(1));
            assertThat(heard).hasSize(1);
        }
    }

    @Test
    void whenClosed_thenNothingIsAskedFor() {
        var certificate = certificate().start();
        timeline.advance(Duration.ofSeconds(1));
        certificate.close();
        timeline.advance(Duration.ofDays(2));
        assertThat(asked).isEqualTo(1);
    }

    private RenewedCertificate certificate() {
        return new RenewedCertificate(this::fetch, WAYPOINT, heard::add, timeline, new Random(1));
    }

    private TlsIdentity fetch(Identity identity) {
        asked++;
        during.run();
        if (broken) {
            throw new ProblemException(Problem.ofInput("ca-unavailable", "no", ""));
        }
        var keys = KeyAlgorithm.P256.generate();
        var now = timeline.instant();
        var root = RootCertificate.create(keys, "test", now.minusSeconds(60), Duration.ofDays(365));
        var leaf = new Issuer(new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root)))
                .sign(
                        new Leaf(
                                SubjectKey.of(keys.getPublic()),
                                List.of(identity.uri()),
                                Leaf.Subject.EMPTY,
                                Duration.ofHours(24)),
                        now);
        return new TlsIdentity(keys.getPrivate(), List.of(leaf.certificate()), List.of(root));
    }
}
