// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.model.mesh.Identity;
import io.fathom.tools.link.GatewayProbe.ProbeResult;
import io.fathom.tools.link.LinkCheck.CheckReport;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class LinkCheckTest {
    private static final Identity GATEWAY = new Identity("cluster.local", "istio-eastwest", "istio-eastwest");
    private static final SigningMaterial AUTHORITY = authority();
    private static final ClusterFacts EAST = trusting(LinkSamples.cluster("east", 1));
    private static final ClusterFacts WEST = trusting(LinkSamples.cluster("west", 2));
    private static final List<ClusterFacts> LINKED = List.of(
            trusting(LinkSamples.cluster("east", 1, LinkSamples.peer(WEST))),
            trusting(LinkSamples.cluster("west", 2, LinkSamples.peer(EAST))));

    @Test
    void givenGoodLinks_thenEachIsOk_andItSaysWhoAnswers() {
        var report = check(LINKED, Map.of(), _ -> answer(GATEWAY));

        assertThat(report.isGood()).as(report.findings().toString()).isTrue();
        assertThat(report.links())
                .hasSize(2)
                .allMatch(link -> link.verdict().equals("ok") && link.identity().equals(GATEWAY.uri()));
        assertThat(report.links().getFirst().address()).isEqualTo("192.0.2.2:15008");
    }

    @Test
    void givenNoGatewayInOneOfThem_thenThatDirectionIsNotLinked() {
        var report = check(List.of(EAST, LINKED.getLast()), Map.of(), _ -> answer(GATEWAY));

        assertThat(verdicts(report)).containsExactly("not linked", "ok");
    }

    @Test
    void givenOneGatewayIsSilent_thenTheOtherDirectionIsGood() {
        var report = check(
                LINKED,
                Map.of(),
                place -> place.startsWith("192.0.2.2:")
                        ? new ProbeResult.Silent("connection refused")
                        : answer(GATEWAY));

        assertThat(verdicts(report)).containsExactly("gateway-unreachable", "ok");
        assertThat(report.findings().getFirst().message()).contains("192.0.2.2:15008", "connection refused");
    }

    @Test
    void givenSomebodyElseAnswers_thenBothIdentitiesAreNamed() {
        var other = new Identity("cluster.local", "edge", "stranger");

        var report = check(LINKED, Map.of(), _ -> answer(other));

        assertThat(report.findings().getFirst().code()).isEqualTo("gateway-is-somebody-else");
        assertThat(report.findings().getFirst().message()).contains(other.uri(), GATEWAY.uri());
    }

    @Test
    void givenARootThatIsNotTrusted_thenItIsNamed() {
        var report = check(
                List.of(LinkSamples.cluster("east", 1, LinkSamples.peer(WEST)), LINKED.getLast()),
                Map.of(),
                _ -> answer(GATEWAY));

        assertThat(report.findings())
                .extracting(LinkFinding::code)
                .containsExactly("no-common-root", "no-common-root", "gateway-not-trusted");
    }

    @Test
    void givenAnAddressThatChanged_thenTheLinkIsOutOfDate() {
        var moved = trusting(LinkSamples.cluster("west", 22, LinkSamples.peer(EAST)));

        var report = check(List.of(LINKED.getFirst(), moved), Map.of(), _ -> answer(GATEWAY));

        assertThat(verdicts(report)).containsExactly("link-out-of-date", "ok");
    }

    @Test
    void givenWhatAControlPlaneSays_thenItsWordsAreRepeated() throws IOException {
        var view = json("""
                [{"id": "east", "syncStatus": "synced"},
                 {"id": "west", "syncStatus": "syncing", "code": "peer-is-ourselves", "message": "m", "fix": "f"}]""");

        var report = check(LINKED, Map.of("east", view), _ -> answer(GATEWAY));

        assertThat(verdicts(report)).containsExactly("peer-is-ourselves", "ok");
        assertThat(verdicts(check(LINKED, Map.of("west", json("[]")), _ -> answer(GATEWAY))))
                .containsExactly("ok", "peer-unknown");
    }

    @Test
    void givenAClusterThatIsReadDirectly_thenItNeedsNoGateway() throws IOException {
        var view = json("""
                [{"id": "east", "syncStatus": "synced"}, {"id": "west", "secretName": "a/b", "syncStatus": "synced"}]""");

        var report = check(List.of(EAST, WEST), Map.of("east", view), _ -> answer(GATEWAY));

        assertThat(verdicts(report)).containsExactly("ok", "not linked");
    }

    @Test
    void givenNoLinksYet_whenPrechecked_thenTheGatewaysThemselvesAreCalled() {
        var report = new LinkCheck(List.of(EAST, WEST), Map.of(), _ -> answer(GATEWAY), LinkSamples.NOW).precheck();

        assertThat(report.isGood()).isTrue();
        assertThat(verdicts(report)).containsExactly("ok", "ok");
    }

    private static CheckReport check(
            List<ClusterFacts> clusters, Map<String, JsonNode> views, Function<String, ProbeResult> probe) {
        return new LinkCheck(clusters, views, probe, LinkSamples.NOW).run();
    }

    private static List<String> verdicts(CheckReport report) {
        return report.links().stream().map(LinkCheck.LinkReport::verdict).toList();
    }

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text);
    }

    private static ProbeResult answer(Identity identity) {
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Leaf(
                SubjectKey.of(keys.getPublic()), List.of(identity.uri()), Leaf.Subject.EMPTY, Duration.ofHours(1));
        X509Certificate signed =
                new Issuer(AUTHORITY).sign(leaf, LinkSamples.NOW).certificate();
        return new ProbeResult.Answered(List.of(signed, AUTHORITY.signer()));
    }

    private static SigningMaterial authority() {
        var start = LinkSamples.NOW.minus(Duration.ofDays(1));
        var rootKeys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(rootKeys, "test", start, Duration.ofDays(365));
        var keys = KeyAlgorithm.P256.generate();
        var signer =
                RootCertificate.intermediate(root, rootKeys.getPrivate(), keys, "east", start, Duration.ofDays(300));
        return new SigningMaterial(keys.getPrivate(), List.of(signer), List.of(root));
    }

    private static ClusterFacts trusting(ClusterFacts facts) {
        return new ClusterFacts(
                facts.context(),
                facts.id(),
                facts.network(),
                facts.trustDomain(),
                AUTHORITY.roots(),
                facts.gateways(),
                facts.peers());
    }
}
