// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import static io.fathom.fleet.server.Facts.NOW;
import static io.fathom.fleet.server.Facts.gateway;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.testkit.ManualTimeline;
import io.fathom.fleet.join.JoinToken;
import io.fathom.fleet.server.Registration.Bounds;
import io.fathom.model.fleet.ClusterLabels;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown.Receipt;
import io.fathom.model.fleet.FleetDown.Rejection;
import io.fathom.model.fleet.FleetUp.Gateways;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.fleet.JoinOrder;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FleetTest {
    private static final String SERVER = "S".repeat(43);
    private static final Bounds ANY = new Bounds(List.of(), List.of());
    private static final FleetPolicy POLICY =
            new FleetPolicy("fleet.local", Set.of("istio-eastwest"), Duration.ofDays(7), ServicePolicy.OPEN);

    private static final TrustRoot OLD = Facts.root();
    private static final TrustRoot NEW = Facts.root();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final ManualTimeline clock = new ManualTimeline(NOW);
    private final List<String> heard = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private FleetStore store;

    @SuppressWarnings("NullAway.Init")
    private Fleet fleet;

    @BeforeEach
    void open() {
        store = FolderStore.open(folder);
        fleet = new Fleet(store, POLICY, clock, new SecureRandom(), heard::add);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void restart() {
        close();
        open();
    }

    private JoinToken token(String cluster) {
        return fleet.issue(cluster, ANY, Duration.ofHours(1), SERVER);
    }

    private static JoinOrder order(JoinToken token, String cluster) {
        return order(token, cluster, "net-" + cluster);
    }

    private static JoinOrder order(JoinToken token, String cluster, String network) {
        return new JoinOrder(
                token.text(), cluster, "uid-" + cluster, "csr", List.of("cluster.local"), List.of(network));
    }

    private Registration join(String cluster) {
        return fleet.join(order(token(cluster), cluster), "key-" + cluster);
    }

    private Registration west() {
        return Optional.ofNullable(fleet.registrations().get("uid-west")).orElseThrow();
    }

    private Receipt say(String cluster, long sequence, GatewayFact... facts) {
        return fleet.accept("uid-" + cluster, new Gateways(List.of(facts), new FactVersion(1, sequence)));
    }

    @Test
    void givenATokenThatWasUsed_thenAnotherKeyIsRefused_alsoAfterARestart() {
        var token = token("west");
        fleet.join(order(token, "west"), "key");

        assertThatThrownBy(() -> fleet.join(order(token, "west"), "other")).hasMessageContaining("used");
        restart();
        assertThatThrownBy(() -> fleet.join(order(token, "west"), "other")).hasMessageContaining("used");
        assertThat(fleet.join(order(token, "west"), "key").name()).isEqualTo("west"); // whose answer was lost
    }

    @Test
    void whenAClusterTellsItsRoots_thenTheyAreKept_untilItTellsOthers() {
        join("west");
        var gateway = gateway("west", "10.1.0.1");

        assertThat(say("west", 1, gateway.vouchedFor(List.of(OLD))).rejected()).isEmpty();
        restart();
        assertThat(west().roots("cluster.local")).containsExactly(OLD);
        assertThat(say("west", 2, gateway).rejected()).isEmpty(); // an agent that has not found them yet
        assertThat(west().roots("cluster.local")).containsExactly(OLD);
        assertThat(say("west", 3).rejected()).isEmpty(); // the gateway is away
        assertThat(west().roots("cluster.local")).containsExactly(OLD);

        say("west", 4, gateway.vouchedFor(List.of(OLD, NEW)));
        assertThat(west().roots("cluster.local")).containsExactlyInAnyOrder(OLD, NEW);
        say("west", 5, gateway.vouchedFor(List.of(NEW)));
        assertThat(west().roots("cluster.local")).containsExactly(NEW);
    }

    @Test
    void givenRootsOfSomebodyElsesDomain_thenTheyAreRefused_andTheGatewayIsNot() {
        join("east");
        join("west");
        say("east", 1, gateway("east", "10.2.0.1").vouchedFor(List.of(OLD)));

        assertThat(say("west", 1, gateway("west", "10.1.0.1").vouchedFor(List.of(NEW)))
                        .rejected())
                .extracting(Rejection::code)
                .containsExactly("trust-domain-taken");
        assertThat(west().gateway()).contains(gateway("west", "10.1.0.1"));

        assertThat(say("west", 2, gateway("west", "10.1.0.2").vouchedFor(List.of(OLD)))
                        .rejected())
                .isEmpty();
        assertThat(say("west", 3, gateway("west", "10.1.0.3").vouchedFor(List.of(OLD, NEW)))
                        .rejected())
                .extracting(Rejection::code)
                .containsExactly("trust-domain-taken");
        assertThat(west().gateway()).contains(gateway("west", "10.1.0.3").vouchedFor(List.of(OLD)));
    }

    @Test
    void givenARootForADomainThatIsNotRegistered_thenNothingOfTheFactCounts() {
        join("west");
        var foreign = gateway("istio-eastwest/istio-eastwest", "net-west", "east.local", "10.1.0.1");

        assertThat(say("west", 1, foreign.vouchedFor(List.of(OLD))).rejected())
                .extracting(Rejection::code)
                .containsExactly("trust-domain-not-registered");
        assertThat(west().gateway()).isEmpty();
    }

    @Test
    void givenManyKeysAtOnce_thenATokenWorksForOne() throws InterruptedException {
        var token = token("west");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<String>> attempts = IntStream.range(0, 20)
                    .<Callable<String>>mapToObj(i ->
                            () -> fleet.join(order(token, "west"), "key-" + i).key())
                    .toList();
            var joined = threads.invokeAll(attempts).stream()
                    .filter(attempt -> {
                        try {
                            return !attempt.get().isEmpty();
                        } catch (ExecutionException | InterruptedException e) {
                            return false;
                        }
                    })
                    .count();

            assertThat(joined).isEqualTo(1);
        }
    }

    @Test
    void givenATokenThatIsOld_orOfAnotherName_orMadeUp_thenItIsRefused() {
        var token = token("west");
        var madeUp = new JoinToken(token.id(), "A".repeat(43), SERVER);

        assertThatThrownBy(() -> fleet.join(order(token, "east"), "key")).hasMessageContaining("for cluster west");
        assertThatThrownBy(() -> fleet.join(order(madeUp, "west"), "key")).hasMessageContaining("did not issue");
        clock.advance(Duration.ofHours(1));
        assertThatThrownBy(() -> fleet.join(order(token, "west"), "key")).hasMessageContaining("good until");
        assertThat(fleet.registrations()).isEmpty();
    }

    @Test
    void givenANetworkOfAnother_thenItIsRefused_andTheTokenIsNotUsedUp() {
        join("west");
        var token = token("east");

        assertThatThrownBy(() -> fleet.join(order(token, "east", "net-west"), "key"))
                .hasMessageContaining("that of cluster west");
        assertThat(fleet.join(order(token, "east"), "key").handle()).isEqualTo(2);
    }

    @Test
    void givenATokenThatAllowsIt_thenAClusterMayShareANetwork() {
        join("west");
        var token = fleet.issue("east", new Bounds(List.of("net-west"), List.of()), Duration.ofHours(1), SERVER);

        assertThat(fleet.join(order(token, "east", "net-west"), "key").bounds().networks())
                .containsExactly("net-west");
    }

    @Test
    void givenANameThatIsTaken_thenItIsRefusedUntilThatOneLeaves() {
        join("west");
        var token = token("west");
        var order = new JoinOrder(token.text(), "west", "uid-new", "csr", List.of(), List.of());

        assertThatThrownBy(() -> fleet.join(order, "key")).hasMessageContaining("another cluster");
        fleet.leave("west");
        assertThat(fleet.join(order, "key").isMember()).isTrue();
        assertThat(west().isMember()).isFalse();
    }

    @Test
    void whenAClusterSaysSomething_thenItIsKept_alsoOverARestart() {
        join("west");

        assertThat(say("west", 1, gateway("west", "10.1.0.1")).rejected()).isEmpty();
        restart();

        assertThat(west().gateway()).contains(gateway("west", "10.1.0.1"));
        assertThat(heard).contains("uid-west");
    }

    @Test
    void givenSomethingForged_thenWhatWasAcceptedStays() {
        join("west");
        say("west", 1, gateway("west", "10.1.0.1"));

        var receipt = say("west", 2, gateway("east", "10.1.0.1"));

        assertThat(receipt.rejected()).extracting(Rejection::code).containsExactly("network-not-registered");
        assertThat(west().gateway()).contains(gateway("west", "10.1.0.1"));
    }

    @Test
    void givenAnOldStream_thenWhatItSaysIsStale() {
        join("west");
        fleet.accept("uid-west", new Gateways(List.of(gateway("west", "10.1.0.2")), new FactVersion(2, 1)));

        var receipt = say("west", 9, gateway("west", "10.1.0.1"));

        assertThat(receipt.rejected()).extracting(Rejection::code).containsExactly("version-stale");
        assertThat(west().gateway()).contains(gateway("west", "10.1.0.2"));
    }

    @Test
    void whenTheGatewayGoes_thenTheClusterIsStillKnown() {
        join("west");
        say("west", 1, gateway("west", "10.1.0.1"));

        say("west", 2);

        assertThat(west().gateway()).contains(gateway("west", "10.1.0.1").in(GatewayFact.GatewayState.OFFLINE));
    }

    @Test
    void whenAClusterHasLeft_thenItMaySayNothing_andOthersHearOfIt() {
        var west = join("west");
        say("west", 1, gateway("west", "10.1.0.1"));
        fleet.leave("west");

        assertThatThrownBy(() -> say("west", 2)).hasMessageContaining("no cluster is registered");
        restart();
        var left = Optional.ofNullable(fleet.registrations().get("uid-west"));
        assertThat(PeerView.of(left, Facts.cluster("east", Optional.empty())))
                .isEqualTo(new PeerView.Withdrawn(west.uid()));
    }

    @Test
    void givenAnAudience_thenOthersAreToldToForget() {
        var shown = Facts.cluster("west", Optional.of(Facts.to(gateway("west", "10.1.0.1"), "east")));

        assertThat(PeerView.of(Optional.of(shown), Facts.cluster("east", Optional.empty())))
                .isInstanceOf(PeerView.Shown.class);
        assertThat(PeerView.of(Optional.of(shown), Facts.cluster("south", Optional.empty())))
                .isInstanceOf(PeerView.Withdrawn.class);
        assertThat(PeerView.of(Optional.of(shown), shown)).isInstanceOf(PeerView.Unchanged.class);
        assertThat(PeerView.of(Optional.empty(), shown)).isInstanceOf(PeerView.Unchanged.class);
    }

    static Stream<Arguments> audiences() {
        return Stream.of(
                argumentSet("given everybody, then it is shown", "*", Map.of(), true),
                argumentSet("given its name, then it is shown", "south, east", Map.of(), true),
                argumentSet("given another name, then not", "south", Map.of("env", "prod"), false),
                argumentSet("given its label, then it is shown", "label:env=prod", Map.of("env", "prod"), true),
                argumentSet("given a label of another value, then not", "label:env=prod", Map.of("env", "test"), false),
                argumentSet("given a label that it lacks, then not", "label:env=prod", Map.of(), false),
                argumentSet("given a name among labels, then it is shown", "label:a=b,east", Map.of(), true),
                argumentSet(
                        "given one of two labels, then it is shown",
                        "south,label:env=prod,label:tier=gold",
                        Map.of("tier", "gold", "env", "test"),
                        true),
                argumentSet("given nobody, then not", "none", Map.of("none", ""), false));
    }

    @ParameterizedTest
    @MethodSource("audiences")
    void whenAGatewayIsForAnAudience(String audience, Map<String, String> labels, boolean shown) {
        var west = Facts.cluster("west", Optional.of(Facts.to(gateway("west", "10.1.0.1"), audience)));
        var east = Facts.cluster("east", Optional.empty(), new ClusterLabels(labels));

        assertThat(PeerView.of(Optional.of(west), east))
                .isInstanceOf(shown ? PeerView.Shown.class : PeerView.Withdrawn.class);
    }

    @Test
    void givenLabelsInAToken_thenTheClusterHasThem_alsoOverARestart() {
        var labels = ClusterLabels.parse(List.of("env=prod", "example.com/tier="));
        var token = fleet.issue("west", new Bounds(List.of(), List.of(), labels), Duration.ofHours(1), SERVER);
        restart(); // the token is kept, too
        fleet.join(order(token, "west"), "key");

        say("west", 1, gateway("west", "10.1.0.1"));
        restart();

        assertThat(west().bounds().labels()).isEqualTo(labels);
        assertThat(west().gateway()).isPresent();
    }

    @Test
    void givenALabelThatIsNone_thenItIsSaidWhich() {
        assertThatThrownBy(() -> ClusterLabels.parse(List.of("env=prod", "tier")))
                .hasMessageContaining("'tier'");
        assertThatThrownBy(() -> ClusterLabels.parse(List.of("env=prod", "env=test")))
                .hasMessageContaining("'env' has two values");
    }

    @Test
    void givenAnAudienceThatIsNone_thenTheRejectionNamesIt_andTheOneBeforeStays() {
        join("west");
        say("west", 1, Facts.to(gateway("west", "10.1.0.1"), "east"));

        var receipt = say("west", 2, Facts.to(gateway("west", "10.1.0.1"), "east,label:env"));

        assertThat(receipt.rejected())
                .extracting(Rejection::reason)
                .singleElement()
                .asString()
                .contains("'label:env'");
        assertThat(west().gateway()).contains(Facts.to(gateway("west", "10.1.0.1"), "east"));
    }

    @Test
    void givenAFolderInUse_thenNoOtherServerGetsIt() {
        assertThatThrownBy(() -> FolderStore.open(folder)).hasMessageContaining(folder.toString());
    }
}
