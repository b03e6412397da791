// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.dns;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class DnsAnswerTest {
    private static final String HEADER = "123401000001000000000000";
    private static final String NAME = "04" + hex("Cart") + "04" + hex("shop") + "00";

    @Test
    void givenAQuestion_thenNameAndTypeAreRead() {
        var question = DnsAnswer.question(bytes(HEADER + NAME + "00010001"), 27).orElseThrow();

        assertThat(question.name()).isEqualTo("cart.shop");
        assertThat(question.wantsIpv4()).isTrue();
        assertThat(DnsAnswer.of(question, DnsAnswer.FINE, List.of("198.19.8.1")))
                .isEqualTo(bytes(
                        "123485800001000100000000" + NAME + "00010001" + "c00c000100010000000500" + "04c6130801"));
        assertThat(DnsAnswer.of(question, DnsAnswer.NO_SUCH_NAME, List.of()))
                .isEqualTo(bytes("123485830001000000000000" + NAME + "00010001"));
    }

    @Test
    void givenAnAlias_thenItsTargetAndAddressAreInTheAnswer_andCanBeReadThere() {
        var question = DnsAnswer.question(bytes(HEADER + NAME + "00010001"), 27).orElseThrow();
        var answer = DnsAnswer.of(question, DnsAnswer.FINE, List.of("a.b"), List.of("198.19.8.1"));

        assertThat(answer)
                .isEqualTo(bytes("123485800001000200000000" + NAME + "00010001"
                        + "c00c00050001000000050005" + "01610162" + "00"
                        + "c027000100010000000500" + "04c6130801"));
        assertThat(DnsAnswer.addresses(answer, answer.length)).containsExactly("198.19.8.1");
        assertThat(DnsAnswer.addresses(answer, answer.length - 1)).isEmpty();
        var ask = DnsAnswer.ask(7, "a.example");
        assertThat(DnsAnswer.question(ask, ask.length).orElseThrow().name()).isEqualTo("a.example");
    }

    @Test
    void givenAnAnswer_thenItIsNotAnswered() {
        assertThat(DnsAnswer.question(bytes("123481000001000000000000" + NAME + "00010001"), 27))
                .isEmpty();
    }

    @Test
    void givenGarbage_thenThereIsNoQuestion() {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(7);
        for (int i = 0; i < 20_000; i++) {
            var packet = new byte[random.nextInt(64)];
            random.nextBytes(packet);
            if (packet.length > 5) {
                packet[2] = 0;
                packet[4] = 0;
                packet[5] = 1;
            }
            assertThat(DnsAnswer.question(packet, packet.length)).isNotNull();
        }
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }
}
