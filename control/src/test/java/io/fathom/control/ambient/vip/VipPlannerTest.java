// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.vip;

import static io.fathom.control.ambient.VipEntries.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ambient.VipEntries;
import io.fathom.control.ambient.VipMesh;
import io.fathom.control.ambient.status.ObjectStatus.HostAddress;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class VipPlannerTest {
    private final VipMesh mesh = new VipMesh();

    static Stream<Arguments> eligibility() {
        var plain = entry("ext/a", "a", "*.w");
        return Stream.of(
                argumentSet("DNS: plain hosts only", plain, "a=240.240.0.1+2001:2::1"),
                argumentSet(
                        "round robin counts as DNS",
                        plain.withResolution(Resolution.DNS_ROUND_ROBIN),
                        "a=240.240.0.1+2001:2::1"),
                argumentSet("STATIC too", plain.withResolution(Resolution.STATIC), "a=240.240.0.1+2001:2::1"),
                argumentSet(
                        "wildcards only under DYNAMIC_DNS",
                        plain.withResolution(Resolution.DYNAMIC_DNS),
                        "a=240.240.0.1+2001:2::1 *.w=240.240.0.2+2001:2::2"),
                argumentSet("not without resolution", plain.withResolution(Resolution.NONE), ""),
                argumentSet("not with addresses of the user", plain.withAddresses("10.0.0.1"), ""),
                argumentSet("not when opted out", plain.optedOut(), ""),
                argumentSet("not for wildcards alone", entry("ext/a", "*.w"), ""),
                argumentSet("a host written twice counts once", entry("ext/a", "a", "a"), "a=240.240.0.1+2001:2::1"));
    }

    @ParameterizedTest
    @MethodSource("eligibility")
    void givenAnEntry_thenItsEligibleHostsGetAddresses(VipEntries entry, String want) {
        mesh.put(entry);
        assertThat(mesh.of("ext/a")).isEqualTo(want);
    }

    @Test
    void givenEntriesOneByOne_thenAddressesInOrderOfCreation() {
        mesh.put(entry("ext/two-hosts", "one", "two"));
        mesh.put(entry("ext/explicit", "front"));
        mesh.put(entry("ext/out", "none").optedOut());
        mesh.put(entry("ext/rr", "rr"));
        assertThat(mesh.of("ext/two-hosts")).isEqualTo("one=240.240.0.1+2001:2::1 two=240.240.0.2+2001:2::2");
        assertThat(mesh.of("ext/explicit")).isEqualTo("front=240.240.0.3+2001:2::3");
        assertThat(mesh.of("ext/rr")).isEqualTo("rr=240.240.0.4+2001:2::4");
        assertThat(mesh.vips("ext/out")).isEmpty();
        assertThat(mesh.vips("ext/rr").orElseThrow().status().addresses())
                .containsExactly(new HostAddress("rr", "240.240.0.4"), new HostAddress("rr", "2001:2::4"));
    }

    @Test
    void givenEntriesAtOnce_thenTheOldestFirst_andOfEquallyOldThatWithTheSmallerKey() {
        mesh.put(
                entry("ext/a", "a").createdAt(9),
                entry("ext/c", "c").createdAt(5),
                entry("ext/b", "b").createdAt(5));
        assertThat(mesh.of("ext/b")).isEqualTo("b=240.240.0.1+2001:2::1");
        assertThat(mesh.of("ext/c")).isEqualTo("c=240.240.0.2+2001:2::2");
        assertThat(mesh.of("ext/a")).isEqualTo("a=240.240.0.3+2001:2::3");
    }

    @Test
    void givenAddressesInTheStatus_thenKept_alsoWhenAnOlderEntryIsNew() {
        mesh.put(
                entry("ext/new", "n").createdAt(1),
                entry("ext/old", "o").createdAt(2).withAssigned("o=240.240.0.1", "o=2001:2::1"));
        assertThat(mesh.of("ext/old")).isEqualTo("o=240.240.0.1+2001:2::1");
        assertThat(mesh.of("ext/new")).isEqualTo("n=240.240.0.2+2001:2::2");
    }

    @Test
    void givenAStatusOfAnotherBlock_thenKept_andWhatIsNoAddressIgnored() {
        mesh.put(entry("ext/a", "a", "b").withAssigned("a=10.1.1.1", "b=nonsense", "gone=10.1.1.2"));
        assertThat(mesh.of("ext/a")).isEqualTo("a=10.1.1.1 b=240.240.0.1+2001:2::1");
    }

    @Test
    void whenOurOwnAddressesComeBackInTheStatus_thenNothingMoves() {
        mesh.put(entry("ext/a", "a"));
        mesh.put(entry("ext/a", "a").withAssigned("a=240.240.0.1", "a=2001:2::1"));
        assertThat(mesh.of("ext/a")).isEqualTo("a=240.240.0.1+2001:2::1");
    }

    @Test
    void whenAUserWritesAnAutomaticAddress_thenTheAutomaticOneMoves() {
        mesh.put(entry("ext/a", "a", "b"));
        mesh.put(entry("ext/user", "u").createdAt(900).withAddresses("240.240.0.1"));
        assertThat(mesh.of("ext/a")).isEqualTo("a=240.240.0.3+2001:2::3 b=240.240.0.2+2001:2::2");
    }

    @Test
    void whenAUserWritesABlockOfAutomaticAddresses_thenTheyMoveBehindIt() {
        mesh.put(entry("ext/a", "a"));
        mesh.put(entry("ext/user", "u").withAddresses("240.240.0.0/24", "2001:2::/64"));
        assertThat(mesh.of("ext/a")).isEqualTo("a=240.240.1.0+2001:2:0:1::");
        mesh.remove("ext/user");
        assertThat(mesh.of("ext/a")).isEqualTo("a=240.240.1.0+2001:2:0:1::");
    }

    @Test
    void givenAStatusThatNamesAnAddressOfAUser_thenItMoves() {
        mesh.put(
                entry("ext/a", "a").createdAt(1).withAssigned("a=240.240.0.9", "a=2001:2::9"),
                entry("ext/user", "u").createdAt(2).withAddresses("240.240.0.9"));
        assertThat(mesh.of("ext/a")).isEqualTo("a=240.240.0.1+2001:2::1");
    }

    @Test
    void whenTwoStatusesNameOneAddress_thenTheYoungerMoves() {
        mesh.put(entry("ext/young", "y").createdAt(9).withAssigned("y=240.240.0.7", "y=2001:2::7"));
        assertThat(mesh.of("ext/young")).isEqualTo("y=240.240.0.7+2001:2::7");
        mesh.put(entry("ext/old", "o").createdAt(3).withAssigned("o=240.240.0.7", "o=2001:2::8"));
        assertThat(mesh.of("ext/old")).isEqualTo("o=240.240.0.7+2001:2::8");
        assertThat(mesh.of("ext/young")).as("both families move").isEqualTo("y=240.240.0.1+2001:2::1");

        mesh.put(entry("ext/young", "y").createdAt(9).withAssigned("y=240.240.0.7", "y=2001:2::7"));
        assertThat(mesh.of("ext/young")).as("a stale status moves nobody").isEqualTo("y=240.240.0.1+2001:2::1");
    }

    @Test
    void givenAStatusThatGivesTwoHostsOneAddress_thenTheFirstKeepsIt() {
        mesh.put(entry("ext/a", "a", "b").withAssigned("b=240.240.0.5", "a=240.240.0.5"));
        assertThat(mesh.of("ext/a")).isEqualTo("a=240.240.0.5 b=240.240.0.1+2001:2::1");
    }

    @Test
    void givenAStatusThatSwapsHosts_thenTheStatusWins() {
        mesh.put(entry("ext/a", "a", "b"));
        mesh.put(entry("ext/a", "a", "b").withAssigned("b=240.240.0.1", "a=240.240.0.2"));
        assertThat(mesh.of("ext/a")).isEqualTo("a=240.240.0.2 b=240.240.0.1");
    }

    @Test
    void whenHostsComeAndGo_thenTheOthersKeepTheirAddresses() {
        mesh.put(entry("ext/a", "a", "b"));
        mesh.put(entry("ext/a", "c", "b"));
        assertThat(mesh.of("ext/a")).isEqualTo("c=240.240.0.3+2001:2::3 b=240.240.0.2+2001:2::2");
        mesh.put(entry("ext/a", "b", "c", "d"));
        assertThat(mesh.of("ext/a"))
                .isEqualTo("b=240.240.0.2+2001:2::2 c=240.240.0.3+2001:2::3 d=240.240.0.4+2001:2::4");
    }

    @Test
    void whenAnEntryOptsOut_thenClearedAndItsAddressesAreTheNextToBeUsed() {
        mesh.put(entry("ext/a", "a", "b"));
        mesh.put(entry("ext/b", "x"));
        mesh.put(entry("ext/a", "a", "b").optedOut());
        assertThat(mesh.vips("ext/a")).isEmpty();
        mesh.put(entry("ext/c", "c"));
        mesh.put(entry("ext/d", "d"));
        mesh.put(entry("ext/e", "e"));
        assertThat(mesh.of("ext/c")).isEqualTo("c=240.240.0.1+2001:2::1");
        assertThat(mesh.of("ext/d")).isEqualTo("d=240.240.0.2+2001:2::2");
        assertThat(mesh.of("ext/e")).isEqualTo("e=240.240.0.4+2001:2::4");
    }

    @Test
    void whenAnEntryBecomesEligibleAgain_thenItGetsAddressesAgain() {
        mesh.put(entry("ext/a", "a"));
        mesh.put(entry("ext/a", "a").withResolution(Resolution.NONE));
        assertThat(mesh.vips("ext/a")).isEmpty();
        mesh.put(entry("ext/a", "a"));
        assertThat(mesh.of("ext/a")).isEqualTo("a=240.240.0.1+2001:2::1");
    }

    @Test
    void whenAnEntryIsDeleted_thenItsAddressIsNotUsedAgainBeforeTheBlockIsThrough() {
        var small = new VipMesh("10.0.0.0/30", "2001:2::/48"); // three addresses
        small.put(entry("ext/a", "a"));
        small.put(entry("ext/b", "b"));
        small.remove("ext/a");
        small.put(entry("ext/c", "c"));
        assertThat(small.of("ext/c")).isEqualTo("c=10.0.0.3+2001:2::3");
        small.put(entry("ext/d", "d"));
        assertThat(small.of("ext/d")).as("wrapped").isEqualTo("d=10.0.0.1+2001:2::4");
    }

    @Test
    void givenNoAddressLeft_thenAProblemUntilOneIsFree() {
        var small = new VipMesh("10.0.0.0/31", "2001:2::/48"); // one address
        small.put(entry("ext/a", "a"));
        small.put(entry("ext/b", "b"));
        assertThat(small.of("ext/b")).isEmpty();
        assertThat(small.problem("ext/b").map(Problem::code)).contains("vips-exhausted");
        assertThat(small.problem("ext/b").map(Problem::message).orElse("")).contains("ext/b", "10.0.0.0/31");
        assertThat(small.problem("ext/a")).isEmpty();

        small.put(entry("ext/a", "a").createdAt(99));
        assertThat(small.problem("ext/b")).isPresent();
        small.remove("ext/a");
        assertThat(small.of("ext/b")).isEqualTo("b=10.0.0.1+2001:2::2");
        assertThat(small.problem("ext/b")).isEmpty();
    }

    @Test
    void givenAUserBlockOverTheWholePool_thenAProblemAndNoEndlessSearch() {
        var small = new VipMesh("10.0.0.0/24", "2001:2::/48");
        small.put(entry("ext/user", "u").withAddresses("10.0.0.0/8", "2001::/16"));
        small.put(entry("ext/a", "a"));
        assertThat(small.problem("ext/a")).isPresent();
        small.put(entry("ext/user", "u").withAddresses("10.0.0.1"));
        assertThat(small.of("ext/a")).isEqualTo("a=10.0.0.2+2001:2::1");
    }

    static Stream<Arguments> badPrefixes() {
        return Stream.of(
                argumentSet("no block", "here", "2001:2::/48"),
                argumentSet("no room", "10.0.0.1/32", "2001:2::/48"),
                argumentSet("the wrong family", "2001:3::/48", "2001:2::/48"),
                argumentSet("the wrong family for IPv6", "10.0.0.0/8", "11.0.0.0/8"));
    }

    @ParameterizedTest
    @MethodSource("badPrefixes")
    void givenABadPrefix_thenAClearProblem(String v4, String v6) {
        assertThatThrownBy(() -> new VipPlanner(v4, v6))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("PILOT_IP_AUTOALLOCATE_IPV");
    }
}
