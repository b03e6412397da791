// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IpPortTest {
    @ParameterizedTest
    @ValueSource(strings = {"1.2.3.4:80", "[2001:db8::1]:65535", "[::1]:0"})
    void givenItsOwnText_thenParsedBack(String text) {
        assertThat(IpPort.parse(text).orElseThrow()).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                ":80",
                "1.2.3.4",
                "1.2.3.4:",
                "1.2.3.4:65536",
                "1.2.3.4:+8",
                "[1.2.3.4]:80",
                "::1:80",
                "[::1]",
                "[::1:80",
                "host:80"
            })
    void givenAnythingElse_thenNothing(String text) {
        assertThat(IpPort.parse(text)).isEmpty();
    }
}
