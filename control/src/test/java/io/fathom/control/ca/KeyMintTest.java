// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.ManualTimeline;
import io.fathom.control.ca.AuthenticatedStreams.IdentityCheck;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.TestPki;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.StreamGate.NodeCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Keys that the control plane makes for clients, and who gets them.
class KeyMintTest {
    private static final Instant START = Instant.parse("2026-11-16T12:00:00Z");
    private static final Identity WAYPOINT = new Identity("cluster.local", "shop", "waypoint");

    private final ManualTimeline timeline = new ManualTimeline(START);
    private final FixedAuthority authority = new FixedAuthority(TestPki.root(START));
    private final List<TlsIdentity> heard = new ArrayList<>();
    private final KeyMint mint = new KeyMint(authority, Duration.ofHours(24), CaObserver.NONE, timeline, new Random(1));

    @Test
    void whenFollowed_thenAKeyOfItsOwn_renewedAtHalfOfItsLife_untilClosed() throws Exception {
        try (var _ = mint.follow(WAYPOINT, heard::add)) {
            timeline.advance(Duration.ofSeconds(1));
            assertThat(heard).hasSize(1);
            assertThat(AlternativeNames.of(heard.getFirst().leaf())).containsExactly(WAYPOINT.uri());
            assertThat(heard.getFirst().roots()).isEqualTo(authority.roots());
            timeline.advance(Duration.ofHours(14));
            assertThat(heard).hasSize(2);
            assertThat(heard.getLast().key()).isNotEqualTo(heard.getFirst().key());
        }
        timeline.advance(Duration.ofDays(2));
        assertThat(heard).hasSize(2);
    }

    @Test
    void whenTheAuthorityTrustsOrSignsOtherwise_thenAtOnce_andOnlyThen() throws Exception {
        try (var _ = mint.follow(WAYPOINT, heard::add)) {
            timeline.advance(Duration.ofSeconds(1));
            authority.use(authority.material(), authority.roots());
            timeline.advance(Duration.ofSeconds(1));
            assertThat(heard).hasSize(1);
            var next = TestPki.root(START);
            authority.use(next, next.roots());
            timeline.advance(Duration.ofSeconds(1));
            assertThat(heard).hasSize(2);
            assertThat(heard.getLast().roots()).isEqualTo(next.roots());
            heard.getLast().leaf().verify(next.signer().getPublicKey());
        }
    }

    @Test
    void givenAProvenAccount_thenKeysAreForThatAccountAlone() {
        var check = check(IdentityCheck.ON, TestCredentials.token("good"));
        assertThat(check.mint(node("shop", Map.of("SERVICE_ACCOUNT", "waypoint")), heard::add))
                .isPresent();
        assertThat(check.mint(node("shop", Map.of()), heard::add)).isPresent();
        assertThat(check.mint(node("shop", Map.of("SERVICE_ACCOUNT", "cart")), heard::add))
                .isEmpty();
        assertThat(check.mint(node("bank", Map.of("SERVICE_ACCOUNT", "waypoint")), heard::add))
                .isEmpty();
        timeline.advance(Duration.ofSeconds(1));
        assertThat(heard)
                .hasSize(2)
                .allSatisfy(own -> assertThat(AlternativeNames.of(own.leaf())).containsExactly(WAYPOINT.uri()));
    }

    @Test
    void givenPlaintext_orIdentitiesThatAreNotChecked_thenNoKeys() {
        var node = node("shop", Map.of("SERVICE_ACCOUNT", "waypoint"));
        assertThat(check(IdentityCheck.ON, TestCredentials.plaintext("good")).mint(node, heard::add))
                .isEmpty();
        assertThat(check(IdentityCheck.OFF, TestCredentials.token("good")).mint(node, heard::add))
                .isEmpty();
    }

    private NodeCheck check(IdentityCheck identities, Credentials credentials) {
        CallerAuthenticator anybody = _ -> new CallerAuthenticator.Attempt.Authenticated(
                new Caller(Caller.By.TOKEN_REVIEW, List.of(WAYPOINT), Optional.empty()));
        var streams = new AuthenticatedStreams(anybody, identities, Optional.of(mint), timeline);
        return switch (streams.admit(credentials)) {
            case Admission.Admitted<NodeCheck>(var check) -> check;
            case Admission.Refused<NodeCheck>(var why) -> throw new AssertionError(why);
        };
    }

    private static ClientNode node(String namespace, Map<String, String> metadata) {
        return new ClientNode(
                "waypoint~1.2.3.4~a." + namespace + "~a",
                ClientNode.Type.WAYPOINT,
                "1.2.3.4",
                "a." + namespace,
                "a",
                metadata,
                Map.of());
    }
}
