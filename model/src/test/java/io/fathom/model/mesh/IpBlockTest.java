// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class IpBlockTest {
    @ParameterizedTest
    @CsvSource({
        "10.1.2.3/8, 10.255.255.255",
        "10.1.2.3/32, 10.1.2.3",
        "0.0.0.0/0, 255.255.255.255",
        "2001:2::1/48, 2001:2:0:ffff:ffff:ffff:ffff:ffff",
        "2001:2::/64, 2001:2::ffff:ffff:ffff:ffff",
        "2001:2::/112, 2001:2::ffff",
        "2001:2::7/128, 2001:2::7",
        "::/0, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
    })
    void givenABlock_thenItsLastAddressIsInItAndTheNextIsNot(String text, String last) {
        var block = IpBlock.parse(text).orElseThrow();
        assertThat(block.last()).hasToString(last);
        assertThat(block.contains(block.last())).isTrue();
        assertThat(block.contains(block.address())).isTrue();
        assertThat(block.contains(block.last().next())).isEqualTo(block.length() == 0);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.255, 10.0.1.0",
        "255.255.255.255, 0.0.0.0",
        "2001:2::ffff:ffff:ffff:ffff, 2001:2:0:1::",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, ::"
    })
    void givenAnAddress_thenNext(String text, String next) {
        assertThat(Ip.parse(text).orElseThrow().next()).hasToString(next);
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0/0, ::1", "::/0, 10.0.0.1"})
    void givenTheOtherFamily_thenNotContained(String block, String ip) {
        assertThat(IpBlock.parse(block).orElseThrow().contains(Ip.parse(ip).orElseThrow()))
                .isFalse();
    }
}
