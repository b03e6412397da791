// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InboundBindingTest {
    @ParameterizedTest(name = "given {0}, then {1} on {2}")
    @CsvSource({"PROXY,PROXY,0", "PROXY/15088,PROXY,15088", "NONE/80,NONE,80", "PROXY/x,PROXY,0", "PROXY/99999,PROXY,0"
    })
    void givenBinding(String text, String protocol, int port) {
        assertThat(InboundBinding.parse(text)).hasValueSatisfying(binding -> {
            assertThat(binding.protocol().name()).isEqualTo(protocol);
            assertThat(binding.port()).isEqualTo(port);
        });
    }

    @ParameterizedTest(name = "given {0}, then none")
    @CsvSource({"proxy", "HBONE/15008", "PROXY/1/2", "''"})
    void givenNonsense(String text) {
        assertThat(InboundBinding.parse(text)).isEmpty();
    }
}
