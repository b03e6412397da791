// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.trust.PeerTrust;
import io.fathom.model.trust.PeerTrust.TrustConsent;
import io.fathom.model.trust.TrustBundle;
import io.fathom.tools.link.TrustPlanner.TrustExchange;
import io.fathom.wire.pki.TrustRoots;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class TrustPlannerTest {
    private static final X509Certificate A = LinkSamples.root("a");
    private static final X509Certificate B = LinkSamples.root("b");
    private static final X509Certificate B2 = LinkSamples.root("b2");
    private static final TrustPlanner AGREED = new TrustPlanner("istio-system", TrustExchange.AGREED);

    private static ClusterFacts cluster(String id, List<X509Certificate> roots, TrustShape... bundles) {
        return of(id, id + ".example", roots, bundles);
    }

    private static ClusterFacts of(String id, String domain, List<X509Certificate> roots, TrustShape... bundles) {
        return new ClusterFacts(
                id,
                id,
                "net-" + id,
                domain,
                roots,
                List.of(LinkSamples.gateway("192.0.2.1")),
                List.of(),
                Arrays.asList(bundles));
    }

    private static TrustShape pinned(String owner, X509Certificate... roots) {
        return new TrustShape(
                "istio-system",
                "istio-trust-peer-b",
                owner,
                new PeerTrust(
                        "b",
                        TrustBundle.of("b.example", TrustRoots.of(Arrays.asList(roots))),
                        TrustConsent.OWN_DOMAIN));
    }

    static Stream<Arguments> cases() {
        var plain = cluster("a", List.of(A));
        var linked = cluster("a", List.of(A), pinned("fathomctl", B));
        return Stream.of(
                argumentSet(
                        "given a common root and one domain, then nothing is to be told",
                        LinkSamples.STRICT,
                        of("a", "cluster.local", List.of(A)),
                        of("b", "cluster.local", List.of(A)),
                        "",
                        ""),
                argumentSet(
                        "given a common root and two domains, then the root counts for both",
                        LinkSamples.STRICT,
                        plain,
                        cluster("b", List.of(A)),
                        "created b.example 1",
                        ""),
                argumentSet(
                        "given different roots, then consent is wanted",
                        LinkSamples.STRICT,
                        plain,
                        cluster("b", List.of(B)),
                        "",
                        "ERROR no-common-root"),
                argumentSet(
                        "given consent, then roots are pinned",
                        AGREED,
                        plain,
                        cluster("b", List.of(B)),
                        "created b.example 1",
                        ""),
                argumentSet(
                        "given roots that are pinned, then linking again changes nothing",
                        LinkSamples.STRICT,
                        linked,
                        cluster("b", List.of(B)),
                        "unchanged b.example 1",
                        ""),
                argumentSet(
                        "given a second root beside the pinned one, then it is told of and not pinned",
                        LinkSamples.STRICT,
                        linked,
                        cluster("b", List.of(B, B2)),
                        "unchanged b.example 1",
                        "WARNING root-not-pinned"),
                argumentSet(
                        "given consent for the second root, then both are pinned",
                        AGREED,
                        linked,
                        cluster("b", List.of(B, B2)),
                        "changed b.example 2",
                        ""),
                argumentSet(
                        "given a root that took over, then the old one goes",
                        AGREED,
                        cluster("a", List.of(A), pinned("fathomctl", B, B2)),
                        cluster("b", List.of(B2)),
                        "changed b.example 1",
                        ""),
                argumentSet(
                        "given another root than the pinned one, then consent is wanted again",
                        LinkSamples.STRICT,
                        linked,
                        cluster("b", List.of(B2)),
                        "removed b.example 1",
                        "ERROR no-common-root"),
                argumentSet(
                        "given one domain and different roots, then consent is wanted",
                        LinkSamples.STRICT,
                        of("a", "cluster.local", List.of(A)),
                        of("b", "cluster.local", List.of(B)),
                        "",
                        "ERROR no-common-root"),
                argumentSet(
                        "given consent for one domain, then the object says so",
                        AGREED,
                        of("a", "cluster.local", List.of(A)),
                        of("b", "cluster.local", List.of(B)),
                        "created cluster.local 1 shared",
                        "WARNING trust-domain-shared"),
                argumentSet(
                        "given an object of somebody else, then it is left alone",
                        AGREED,
                        cluster("a", List.of(A), pinned("kubectl", B)),
                        cluster("b", List.of(B2)),
                        "withheld b.example 1",
                        ""),
                argumentSet(
                        "given roots that cannot be seen, then what is pinned stays",
                        AGREED,
                        linked,
                        cluster("b", List.of()),
                        "",
                        ""));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whenTwoClustersAreLinked(
            TrustPlanner planner, ClusterFacts here, ClusterFacts there, String want, String finding) {
        var steps = planner.link(List.of(here, there)).stream()
                .filter(step -> step.context().equals("a"))
                .map(TrustPlannerTest::text)
                .toList();
        assertThat(String.join("; ", steps)).isEqualTo(want);
        var found = planner.review(List.of(here, there)).stream()
                .filter(one -> one.from().equals("a"))
                .map(one -> one.severity() + " " + one.code())
                .toList();
        assertThat(String.join("; ", found)).isEqualTo(finding);
    }

    private static String text(TrustStep step) {
        var trust = step.shape().trust();
        return step.action().title() + " " + trust.bundle().trustDomain() + " "
                + trust.bundle().roots().size()
                + (trust.consent() == TrustConsent.SHARED_DOMAIN ? " shared" : "");
    }

    @Test
    void givenDifferentRoots_thenTheRefusalNamesFingerprintsAndTheFlag() {
        var found = LinkSamples.STRICT.review(List.of(cluster("a", List.of(A)), cluster("b", List.of(B))));
        assertThat(found).hasSize(2).first().satisfies(one -> {
            assertThat(one.message()).contains(TrustRoots.of(B).fingerprint());
            assertThat(one.fix()).contains("--exchange-trust");
        });
    }

    @Test
    void whenAClusterIsUnlinked_thenOnlyOurObjectsForItGo() {
        var ours = cluster("a", List.of(A), pinned("fathomctl", B));
        var theirs = cluster("c", List.of(A), pinned("kubectl", B));
        assertThat(TrustPlanner.unlink(List.of(ours, theirs), Set.of("b")))
                .extracting(TrustStep::context)
                .containsExactly("a");
        assertThat(TrustPlanner.strays(List.of(ours))).hasSize(1);
        assertThat(TrustPlanner.strays(List.of(ours, cluster("b", List.of(B))))).isEmpty();
    }
}
