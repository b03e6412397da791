// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JoinTokenTest {
    private static final String KEY = "A".repeat(43);

    @Test
    void whenWrittenAndRead_thenItIsTheSame() {
        var token = JoinToken.create(KEY, new SecureRandom());

        assertThat(JoinToken.parse(" " + token.text() + "\n")).contains(token);
        assertThat(token.text()).startsWith("fjt1.").endsWith("." + KEY);
        assertThat(token.hash()).hasSize(64).doesNotContain(token.secret());
    }

    @Test
    void whenPrinted_thenTheSecretStaysOut() {
        var token = JoinToken.create(KEY, new SecureRandom());

        assertThat(token.toString()).doesNotContain(token.secret()).contains(token.id());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fjt1", "fjt1.a.b.c", "fjt2.0123456789abcdef.x.y", "fjt1.0123456789abcdef..."})
    void givenSomethingElse_thenItIsNone(String text) {
        assertThat(JoinToken.parse(text)).isEmpty();
    }

    @Test
    void givenACertificateWithTheOneName_thenThatIsTheCluster() {
        assertThat(ClusterIdentity.of(List.of("spiffe://fleet.local/cluster/u-1/agent")))
                .contains(new ClusterIdentity("fleet.local", "u-1"));
    }

    @Test
    void givenMoreNamesOrAnother_thenItIsNoCluster() {
        var good = "spiffe://fleet.local/cluster/u-1/agent";

        assertThat(ClusterIdentity.of(List.of(good, good))).isEmpty();
        assertThat(ClusterIdentity.of(List.of())).isEmpty();
        assertThat(ClusterIdentity.of(List.of("spiffe://fleet.local/server"))).isEmpty();
        assertThat(ClusterIdentity.of(List.of("spiffe://fleet.local/cluster/../agent")))
                .isEmpty();
    }
}
