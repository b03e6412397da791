// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Case 59 of the fact sheet.
class IdentityTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "spiffe://cluster.local/ns/default/sa/web",
                "spiffe://td/ns/n/sa/s",
                "spiffe://a.b-c.d/ns/kube-system/sa/some.account",
                "spiffe://old-mesh:15012/ns/n/sa/s"
            })
    void case59_givenAnIdentity_thenItIsReadAndWrittenBack(String uri) {
        assertThat(Identity.parse(uri)).map(Identity::uri).contains(uri);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "web",
                "https://cluster.local/ns/default/sa/web",
                "spiffe:/cluster.local/ns/default/sa/web",
                "SPIFFE://cluster.local/ns/default/sa/web",
                "spiffe://cluster.local",
                "spiffe:///ns/default/sa/web",
                "spiffe://cluster.local/ns//sa/web",
                "spiffe://cluster.local/ns/default/sa/",
                "spiffe://cluster.local/ns/default",
                "spiffe://cluster.local/sa/web/ns/default",
                "spiffe://cluster.local/ns/default/sa/web/",
                "spiffe://cluster.local/ns/default/sa/web/more",
                "spiffe://cluster.local/extra/ns/default/sa/web"
            })
    void case59_givenAnythingElse_thenItIsNone(String uri) {
        assertThat(Identity.parse(uri)).isEmpty();
    }

    @Test
    void case59_givenAnEmptyPart_thenThereIsNoSuchIdentity() {
        assertThat(new Identity("td", "n", "s").principal()).isEqualTo("td/ns/n/sa/s");
        assertThatThrownBy(() -> new Identity("", "n", "s")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Identity("td", "", "s")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Identity("td", "n", "")).isInstanceOf(IllegalArgumentException.class);
    }
}
