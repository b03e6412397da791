// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class IpTest {
    @ParameterizedTest
    @CsvSource({
        "1.2.3.4, 1.2.3.4",
        "255.255.255.255, 255.255.255.255",
        "::, ::",
        "::1, ::1",
        "2001:DB8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "fe80::1%eth0, fe80::1",
        "::ffff:1.2.3.4, ::ffff:1.2.3.4",
        "1:0:0:0:0:0:0:0, 1::",
    })
    void givenALiteral_whenParsed_thenItsCanonicalTextIs(String text, String canonical) {
        assertThat(Ip.parse(text).orElseThrow()).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "1.2",
                "1.2.3",
                "01.2.3.4",
                "1.2.3.256",
                "1.2.3.4.5",
                "localhost",
                "[::1]",
                ":",
                "1::2::3",
                "g::"
            })
    void givenAnythingElse_whenParsed_thenEmpty(String text) {
        assertThat(Ip.parse(text)).isEmpty();
    }

    @Test
    void givenAMappedAddress_thenItKeepsSixteenBytes() {
        assertThat(Ip.parse("::ffff:1.2.3.4").orElseThrow().bytes()).hasSize(16);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void givenRandomBytes_thenBytesAndTextComeBack(long seed) throws UnknownHostException {
        var random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            var bytes = new byte[random.nextBoolean() ? 4 : 16];
            random.nextBytes(bytes);
            for (int zero = random.nextInt(bytes.length); zero > 0; zero--) {
                bytes[random.nextInt(bytes.length)] = 0;
            }
            var ip = Ip.ofBytes(bytes);
            assertThat(ip.bytes()).isEqualTo(bytes);
            assertThat(Ip.parse(ip.toString())).contains(ip);
            if (InetAddress.getByAddress(bytes) instanceof Inet6Address address) {
                assertThat(InetAddress.ofLiteral(ip.toString())).isEqualTo(address);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.5/24, 10.0.0.0/24",
        "10.1.2.3/0, 0.0.0.0/0",
        "10.1.2.3/32, 10.1.2.3/32",
        "2001:db8::5/64, 2001:db8::/64",
        "2001:db8::5/127, 2001:db8::4/127",
        "ffff::1/0, ::/0",
    })
    void givenABlock_whenMasked_thenHostBitsAreCleared(String text, String masked) {
        assertThat(IpBlock.parse(text).orElseThrow().masked()).hasToString(masked);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/08", "::/129", "x/8", "10.0.0.0/8/8"})
    void givenABadBlock_whenParsed_thenEmpty(String text) {
        assertThat(IpBlock.parse(text)).isEmpty();
    }
}
