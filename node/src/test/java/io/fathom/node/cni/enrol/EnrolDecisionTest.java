// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.node.cni.enrol.EnrolDecision.Addresses;
import io.fathom.node.cni.enrol.EnrolDecision.Existence;
import io.fathom.node.cni.enrol.EnrolDecision.Facts;
import io.fathom.node.cni.enrol.EnrolDecision.Held;
import io.fathom.node.cni.enrol.EnrolDecision.How;
import io.fathom.node.cni.enrol.EnrolDecision.Plugin;
import io.fathom.node.cni.enrol.EnrolDecision.Wish;
import io.fathom.node.cni.pods.Redirection;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EnrolDecisionTest {
    private static final EnrolDecision ENROL = new EnrolDecision.Enrol();
    private static final EnrolDecision LIVE = new EnrolDecision.Release(How.LIVE);
    private static final EnrolDecision ENDED = new EnrolDecision.Release(How.ENDED);
    private static final EnrolDecision LEAVE = new EnrolDecision.Leave("");

    private static Facts facts(Existence existence, Wish wish, Redirection noted, Held held, Addresses addresses) {
        return new Facts(existence, wish, noted, held, addresses, Plugin.SILENT);
    }

    static Stream<Arguments> pods() {
        return Stream.of(
                argumentSet(
                        "a new pod without an address waits for it",
                        facts(Existence.RUNNING, Wish.WANTED, Redirection.ABSENT, Held.NOTHING, Addresses.NONE),
                        LEAVE),
                argumentSet(
                        "one with an address is captured",
                        facts(Existence.RUNNING, Wish.WANTED, Redirection.ABSENT, Held.NOTHING, Addresses.KNOWN),
                        ENROL),
                argumentSet(
                        "one that the plugin brings is captured without an address",
                        new Facts(
                                Existence.RUNNING,
                                Wish.WANTED,
                                Redirection.ABSENT,
                                Held.NOTHING,
                                Addresses.NONE,
                                Plugin.WAITS),
                        ENROL),
                argumentSet(
                        "one that the plugin brings again may have another namespace",
                        new Facts(
                                Existence.RUNNING,
                                Wish.WANTED,
                                Redirection.ENABLED,
                                Held.ALL,
                                Addresses.KNOWN,
                                Plugin.WAITS),
                        ENROL),
                argumentSet(
                        "what was begun goes on",
                        facts(Existence.RUNNING, Wish.WANTED, Redirection.PENDING, Held.PART, Addresses.KNOWN),
                        ENROL),
                argumentSet(
                        "a note alone does not make it captured",
                        facts(Existence.RUNNING, Wish.WANTED, Redirection.ENABLED, Held.NOTHING, Addresses.KNOWN),
                        ENROL),
                argumentSet(
                        "unchanged: nothing",
                        facts(Existence.RUNNING, Wish.WANTED, Redirection.ENABLED, Held.ALL, Addresses.KNOWN),
                        LEAVE),
                argumentSet(
                        "an address that comes back is written down",
                        facts(Existence.RUNNING, Wish.WANTED, Redirection.ENABLED, Held.ALL, Addresses.CHANGED),
                        new EnrolDecision.Readdress()),
                argumentSet(
                        "no address for a while: nothing",
                        facts(Existence.RUNNING, Wish.WANTED, Redirection.ENABLED, Held.ALL, Addresses.NONE),
                        LEAVE),
                argumentSet(
                        "a note that got lost is written again",
                        facts(Existence.RUNNING, Wish.WANTED, Redirection.ABSENT, Held.ALL, Addresses.KNOWN),
                        new EnrolDecision.Annotate()),
                argumentSet(
                        "not wanted any more",
                        facts(Existence.RUNNING, Wish.UNWANTED, Redirection.ENABLED, Held.ALL, Addresses.KNOWN),
                        LIVE),
                argumentSet(
                        "not wanted, captured by an earlier run",
                        facts(Existence.RUNNING, Wish.UNWANTED, Redirection.ENABLED, Held.NOTHING, Addresses.NONE),
                        LIVE),
                argumentSet(
                        "not wanted, begun and not noted",
                        facts(Existence.RUNNING, Wish.UNWANTED, Redirection.ABSENT, Held.PART, Addresses.KNOWN),
                        LIVE),
                argumentSet(
                        "never wanted",
                        facts(Existence.RUNNING, Wish.UNWANTED, Redirection.ABSENT, Held.NOTHING, Addresses.KNOWN),
                        LEAVE),
                argumentSet(
                        "a job that is done",
                        facts(Existence.FINISHED, Wish.WANTED, Redirection.ENABLED, Held.ALL, Addresses.NONE),
                        ENDED),
                argumentSet(
                        "a job that is done, and waited for a proxy",
                        facts(Existence.FINISHED, Wish.UNWANTED, Redirection.PENDING, Held.NOTHING, Addresses.NONE),
                        ENDED),
                argumentSet(
                        "a job that was done before",
                        facts(Existence.FINISHED, Wish.WANTED, Redirection.ABSENT, Held.NOTHING, Addresses.NONE),
                        LEAVE),
                argumentSet(
                        "deleted",
                        facts(Existence.DELETED, Wish.WANTED, Redirection.ENABLED, Held.ALL, Addresses.KNOWN),
                        ENDED),
                argumentSet(
                        "deleted before it was captured, as far as we know",
                        facts(Existence.DELETED, Wish.WANTED, Redirection.ABSENT, Held.NOTHING, Addresses.NONE),
                        ENDED),
                argumentSet(
                        "deleted, never in the mesh",
                        facts(Existence.DELETED, Wish.UNWANTED, Redirection.ABSENT, Held.NOTHING, Addresses.KNOWN),
                        LEAVE));
    }

    @ParameterizedTest
    @MethodSource("pods")
    void whenAPodIsLookedAt(Facts facts, EnrolDecision want) {
        var decision = EnrolDecision.decide(facts);
        if (want instanceof EnrolDecision.Leave) {
            assertThat(decision).isInstanceOf(EnrolDecision.Leave.class);
        } else {
            assertThat(decision).isEqualTo(want);
        }
    }
}
