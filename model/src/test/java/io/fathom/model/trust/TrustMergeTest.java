// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.trust.PeerTrust.TrustConsent;
import io.fathom.model.trust.TrustMerge.OwnTrust;
import io.fathom.model.trust.TrustMerge.RefusedTrust;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class TrustMergeTest {
    private static final OwnTrust OURS = new OwnTrust("ours.example", Set.of("old.example"), Set.of(root("ours")));

    private static TrustRoot root(String content) {
        return TrustRoot.of(content.getBytes(StandardCharsets.UTF_8));
    }

    private static TrustBundle bundle(String domain, String... roots) {
        return TrustBundle.of(
                domain, Arrays.stream(roots).map(TrustMergeTest::root).toList());
    }

    private static PeerTrust peer(String cluster, String domain, String... roots) {
        return new PeerTrust(cluster, bundle(domain, roots), TrustConsent.OWN_DOMAIN);
    }

    private static PeerTrust sharing(String cluster, String domain, String... roots) {
        return new PeerTrust(cluster, bundle(domain, roots), TrustConsent.SHARED_DOMAIN);
    }

    static Stream<Arguments> cases() {
        return Stream.of(
                argumentSet(
                        "given nobody else, then our roots vouch for our domain and its aliases",
                        List.of(),
                        List.of(),
                        Map.of("ours.example", "ours", "old.example", "ours"),
                        List.of()),
                argumentSet(
                        "given another cluster, then its roots vouch for its domain and ours do not",
                        List.of(),
                        List.of(peer("b", "b.example", "b1", "b2")),
                        Map.of("ours.example", "ours", "old.example", "ours", "b.example", "b1 b2"),
                        List.of()),
                argumentSet(
                        "given another cluster that claims our domain, then it is refused",
                        List.of(),
                        List.of(peer("b", "ours.example", "b")),
                        Map.of("ours.example", "ours", "old.example", "ours"),
                        List.of("b ")),
                argumentSet(
                        "given another cluster that claims our alias, then it is refused",
                        List.of(),
                        List.of(peer("b", "old.example", "b")),
                        Map.of("ours.example", "ours", "old.example", "ours"),
                        List.of("b ")),
                argumentSet(
                        "given another cluster of our domain with our root, then there is nothing to refuse",
                        List.of(),
                        List.of(peer("b", "ours.example", "ours")),
                        Map.of("ours.example", "ours", "old.example", "ours"),
                        List.of()),
                argumentSet(
                        "given consent, then the roots of both vouch for the domain",
                        List.of(),
                        List.of(sharing("b", "ours.example", "b")),
                        Map.of("ours.example", "ours b", "old.example", "ours"),
                        List.of()),
                argumentSet(
                        "given two clusters that claim one domain, then the first has it",
                        List.of(),
                        List.of(peer("b", "b.example", "b"), peer("c", "b.example", "c")),
                        Map.of("ours.example", "ours", "old.example", "ours", "b.example", "b"),
                        List.of("c b")),
                argumentSet(
                        "given consent for only one of the two, then it cannot take what the first has",
                        List.of(),
                        List.of(peer("b", "b.example", "b"), sharing("c", "b.example", "c")),
                        Map.of("ours.example", "ours", "old.example", "ours", "b.example", "b"),
                        List.of("c b")),
                argumentSet(
                        "given consent for both, then they share the domain",
                        List.of(),
                        List.of(sharing("b", "b.example", "b"), sharing("c", "b.example", "c")),
                        Map.of("ours.example", "ours", "old.example", "ours", "b.example", "b c"),
                        List.of()),
                argumentSet(
                        "given two clusters of one domain under one root, then both count",
                        List.of(),
                        List.of(peer("b", "b.example", "b"), peer("c", "b.example", "b")),
                        Map.of("ours.example", "ours", "old.example", "ours", "b.example", "b"),
                        List.of()),
                argumentSet(
                        "given roots of our configuration, then they count for the domains that it names",
                        List.of(bundle("b.example", "x"), bundle("ours.example", "y")),
                        List.of(peer("b", "b.example", "b")),
                        Map.of("ours.example", "ours y", "old.example", "ours", "b.example", "b x"),
                        List.of()));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whenTrustIsPutTogether(
            List<TrustBundle> configured, List<PeerTrust> peers, Map<String, String> want, List<String> refused) {
        var merge = TrustMerge.of(OURS, configured, peers);
        var expected = new TreeMap<String, List<TrustRoot>>();
        want.forEach((domain, roots) -> expected.put(
                domain,
                Arrays.stream(roots.split(" ", -1)).map(TrustMergeTest::root).collect(Collectors.toList())));
        assertThat(merge.map()).isEqualTo(new TrustMap(expected));
        assertThat(merge.refused()).map(TrustMergeTest::text).isEqualTo(refused);
    }

    private static String text(RefusedTrust refused) {
        return refused.trust().cluster() + " " + refused.owner();
    }

    @Test
    void givenALaterMap_whenARootIsMissing_thenItRevokes() {
        var both = TrustMerge.of(OURS, List.of(), List.of(peer("b", "b.example", "b1", "b2")))
                .map();
        var one = TrustMerge.of(OURS, List.of(), List.of(peer("b", "b.example", "b2")))
                .map();
        assertThat(one.revokes(both)).isTrue();
        assertThat(both.revokes(one)).isFalse();
        assertThat(TrustMap.NOTHING.revokes(one)).isTrue();
    }

    @Test
    void givenAFingerprintOfAnotherCertificate_thenThereIsNoSuchRoot() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new TrustRoot(root("one").fingerprint(), root("other").certificate()));
    }
}
