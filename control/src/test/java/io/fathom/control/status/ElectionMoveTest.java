// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.status.ElectionMove.Why;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ElectionMoveTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final Candidate CANARY = Candidate.of("me", "istio-system", "canary");
    private static final Candidate DEFAULT = Candidate.of("me", "istio-system", "default");

    static Stream<Arguments> cases() {
        return Stream.of(
                argumentSet("no lock: ours", CANARY, ElectionLock.STATUS, null, 0, Why.NO_LOCK),
                argumentSet("our own lock: renewed", CANARY, ElectionLock.STATUS, held("me", "canary"), 0, Why.RENEWAL),
                argumentSet(
                        "our own lock, long ago", CANARY, ElectionLock.STATUS, held("me", "canary"), 99, Why.RENEWAL),
                argumentSet("another's lock: wait", CANARY, ElectionLock.STATUS, held("x", "canary"), 29, null),
                argumentSet("silent for its term", CANARY, ElectionLock.STATUS, held("x", "canary"), 30, Why.EXPIRED),
                argumentSet("given up", CANARY, ElectionLock.STATUS, held("", ""), 0, Why.RELEASED),
                argumentSet(
                        "a canary waits for the default", CANARY, ElectionLock.STATUS, held("x", "default"), 1, null),
                argumentSet("default takes", DEFAULT, ElectionLock.STATUS, held("x", "canary"), 1, Why.PRECEDENCE),
                argumentSet("default takes", DEFAULT, ElectionLock.ADDRESSES, held("x", "canary"), 1, Why.PRECEDENCE),
                argumentSet("equals wait", DEFAULT, ElectionLock.STATUS, held("x", "default"), 1, null),
                argumentSet("local beats remote", CANARY, ElectionLock.STATUS, held("x", "^canary"), 1, Why.PRECEDENCE),
                argumentSet("remote of another waits", CANARY, ElectionLock.STATUS, held("x", "^default"), 1, null),
                argumentSet(
                        "nobody takes a lock of one revision",
                        DEFAULT,
                        ElectionLock.GATEWAY_DEPLOYMENT,
                        held("x", "canary"),
                        1,
                        null),
                argumentSet(
                        "a revision that became the default one",
                        CANARY.withDefaultRevision(() -> "canary"),
                        ElectionLock.STATUS,
                        held("x", "default"),
                        1,
                        Why.PRECEDENCE));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whenALockIsFound(Candidate candidate, ElectionLock lock, LockRecord found, int secondsAgo, Why want) {
        var move = ElectionMove.decide(lock, candidate, Optional.ofNullable(found), NOW.minusSeconds(secondsAgo), NOW);
        if (want == null) {
            assertThat(move).isEqualTo(new ElectionMove.Wait("x"));
        } else {
            assertThat(move).isInstanceOfSatisfying(ElectionMove.Write.class, write -> {
                assertThat(write.why()).isEqualTo(want);
                assertThat(write.record().holder()).isEqualTo("me");
                assertThat(write.record().renewed()).isEqualTo(NOW);
            });
        }
    }

    @Test
    void givenARenewal_thenTheBeginningStaysAndNothingIsCounted() {
        var before = held("me", "canary");
        var move = ElectionMove.decide(ElectionLock.STATUS, CANARY, Optional.of(before), NOW, NOW);
        assertThat(move)
                .isEqualTo(new ElectionMove.Write(
                        new LockRecord("me", "canary", TERM, before.acquired(), NOW, 4), Why.RENEWAL));
    }

    @Test
    void givenATakeover_thenItIsCounted() {
        var move = ElectionMove.decide(ElectionLock.STATUS, CANARY, Optional.of(held("", "")), NOW, NOW);
        assertThat(move)
                .isEqualTo(new ElectionMove.Write(new LockRecord("me", "canary", TERM, NOW, NOW, 5), Why.RELEASED));
    }

    @Test
    void givenALockOfOneRevision_thenItsNameSaysWhichAndItHasNoKey() {
        assertThat(ElectionLock.GATEWAY_DEPLOYMENT.nameFor("canary")).isEqualTo("istio-gateway-deployment-canary");
        assertThat(ElectionLock.STATUS.nameFor("canary")).isEqualTo("istio-status-leader");
        var move = ElectionMove.decide(ElectionLock.GATEWAY_STATUS, CANARY, Optional.empty(), NOW, NOW);
        assertThat(((ElectionMove.Write) move).record().key()).isEmpty();
    }

    private static LockRecord held(String holder, String key) {
        return new LockRecord(holder, key, TERM, NOW.minusSeconds(500), NOW.minusSeconds(400), 4);
    }
}
