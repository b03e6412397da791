// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.fleet.agent.AgentConfig.ServiceSource;
import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.kube.folder.ObjectFiles;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.trust.TrustBundleObject;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.TrustRoots;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustPlanTest {
    private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");
    private static final TrustRoot OLD = root();
    private static final TrustRoot NEW = root();
    private static final String SYSTEM = "istio-system";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private static TrustRoot root() {
        return TrustRoots.of(RootCertificate.create(KeyAlgorithm.P256.generate(), "test", NOW, Duration.ofDays(1)));
    }

    private static FleetPeer peer(String cluster, TrustRoot... roots) {
        return new FleetPeer(
                2,
                cluster,
                "uid-" + cluster,
                new GatewayFact(
                        "istio-eastwest/istio-eastwest",
                        "net-" + cluster,
                        "istio-eastwest",
                        cluster + ".local",
                        List.of(new GatewayAddress(GatewayAddress.Kind.LB_IP, "10.4.5.6", 15008, 15012)),
                        GatewayFact.Place.UNKNOWN,
                        GatewayFact.GatewayState.ACTIVE,
                        new Audience.Everybody(),
                        List.of(roots),
                        Set.of()));
    }

    private static List<TrustManifest> wanted(FleetPeer... peers) {
        return TrustPlan.wanted(SYSTEM, "west.local", List.of(peers));
    }

    private static ExistingTrust ours(String cluster, TrustRoot... roots) {
        return ExistingTrust.of(TrustManifest.of(SYSTEM, peer(cluster, roots)).content());
    }

    private static ExistingTrust manual(String cluster, TrustRoot... roots) {
        var trust = TrustManifest.of(SYSTEM, peer(cluster, roots)).trust();
        return ExistingTrust.of(TrustBundleObject.tree(SYSTEM, trust, "fathomctl"));
    }

    @Test
    void givenRootsOfAnotherDomain_thenTheyAreWritten_andNoneForOurOwnOrOfThoseThatToldNone() {
        var wanted = wanted(peer("east", OLD, NEW), peer("west", OLD), peer("north"));

        assertThat(TrustPlan.of(wanted, Set.of(), List.of()).puts())
                .extracting(TrustManifest::name)
                .containsExactly("istio-trust-peer-east");
        assertThat(wanted.getFirst().trust().bundle().roots()).containsExactlyInAnyOrder(OLD, NEW);
    }

    @Test
    void givenWhatIsThereAlready_thenNothingIsWritten_andAChangeIs() {
        assertThat(TrustPlan.of(wanted(peer("east", OLD)), Set.of(), List.of(ours("east", OLD))))
                .isEqualTo(TrustPlan.NOTHING);
        assertThat(TrustPlan.of(wanted(peer("east", NEW)), Set.of(), List.of(ours("east", OLD)))
                        .puts())
                .hasSize(1);
    }

    @Test
    void givenWhatSomebodyWrote_thenItWins_andOursGoes() {
        assertThat(TrustPlan.of(wanted(peer("east", NEW)), Set.of(), List.of(manual("east", OLD))))
                .isEqualTo(TrustPlan.NOTHING);
        var other = new ExistingTrust(SYSTEM, "mine", "east", Optional.empty(), Optional.empty());
        assertThat(TrustPlan.of(wanted(peer("east", NEW)), Set.of(), List.of(other, ours("east", NEW))))
                .isEqualTo(new TrustPlan(List.of(), List.of(ours("east", NEW))));
    }

    @Test
    void givenAClusterThatLeft_thenItsRootsGo_andNobodyElses() {
        var existing = List.of(ours("east", OLD), ours("south", OLD), manual("north", OLD));

        assertThat(TrustPlan.of(wanted(), Set.of("uid-east", "uid-north"), existing)
                        .removals())
                .containsExactly(ours("east", OLD));
        assertThat(TrustPlan.of(wanted(), Set.of(), existing).removals()).isEmpty();
        assertThat(TrustPlan.farewell(existing).removals()).containsExactly(ours("east", OLD), ours("south", OLD));
    }

    @Test
    void givenAFolder_thenRootsAreWritten_comeBack_andGoWithTheirCluster() {
        var files = ObjectFiles.in(folder);
        var east = new ObjectName("ConfigMap", SYSTEM, "istio-trust-peer-east");
        var output = new FolderOutput(folder);
        var writer = new TrustWriter(output, SYSTEM);
        var book = new PeerBook();
        assertThat(book.take(new FleetDown.Peers(List.of(peer("east", OLD)), List.of())))
                .isTrue();

        assertThat(output.put(PeerManifest.of(peer("east"), ServiceSource.PEER)))
                .isTrue();
        writer.write("west.local", book, false, List.of(), NOW);
        var text = files.read(east).orElseThrow();
        var object = Json.parse("object", text);
        assertThat(TrustBundleObject.isOne(Field.root(object))).isTrue();
        assertThat(TrustBundleObject.read(object).bundle().roots()).containsExactly(OLD);
        assertThat(TrustBundleObject.owner(object)).isEqualTo("fathom-fleet");

        assertThat(files.delete(east)).isTrue();
        writer.write("west.local", book, false, List.of(), NOW.plusSeconds(30));
        assertThat(files.read(east)).contains(text);

        assertThat(book.take(new FleetDown.Peers(List.of(), List.of("uid-east"))))
                .isTrue();
        writer.write("west.local", book, false, List.of(), NOW.plusSeconds(31));
        assertThat(files.read(east)).isEmpty();
        assertThat(files.names("Gateway")).hasSize(1);
        assertThat(writer.problem()).isEmpty();
    }
}
