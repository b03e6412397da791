// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Ip;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class DnsMessagesTest {
    private static final String HEADER = "123401000001000000000000";
    private static final String QUESTION = "04" + hex("Cart") + "04" + hex("shop") + "00" + "00010001";
    private static final Ip ADDRESS = Ip.parse("198.19.8.1").orElseThrow();

    private static DnsQuery query() {
        return DnsQuery.read(bytes(HEADER + QUESTION)).orElseThrow();
    }

    @Test
    void givenAQuestion_thenNameAndTypeAreRead_andAnswered() {
        assertThat(query().question()).contains(new DnsQuestion("cart.shop", DnsQuestion.A, DnsQuestion.INTERNET));
        assertThat(DnsReply.answer(query(), List.of(new DnsRecord.Host("cart.shop", ADDRESS)), 5, 512))
                .isEqualTo(bytes("123485800001000100000000" + QUESTION + "c00c000100010000000500" + "04c6130801"));
        assertThat(DnsReply.noSuchName(query())).isEqualTo(bytes("123485830001000000000000" + QUESTION));
        assertThat(DnsReply.failure(query(), DnsReply.SERVFAIL))
                .isEqualTo(bytes("123481820001000000000000" + QUESTION));
    }

    @Test
    void givenAliases_thenTheyAndTheAddressAreInTheAnswer_andCanBeReadThere() {
        var records = List.<DnsRecord>of(
                new DnsRecord.Alias("cart.shop", "a.b"),
                new DnsRecord.Alias("a.b", "c"),
                new DnsRecord.Host("c", ADDRESS));
        var answer = DnsReply.answer(query(), records, 5, 512);

        assertThat(answer)
                .isEqualTo(bytes("123485800001000300000000" + QUESTION
                        + "c00c00050001000000050005" + "0161016200"
                        + "c02700050001000000050003" + "016300"
                        + "c038000100010000000500" + "04c6130801"));
        assertThat(AddressReply.read(answer)).isEqualTo(new AddressReply(List.of(ADDRESS), 5));
        assertThat(AddressReply.read(Arrays.copyOf(answer, answer.length - 1)).ips())
                .isEmpty();
    }

    @Test
    void givenARoomTooSmall_thenTheRestIsLeftOut_andTheClientTold() {
        var records =
                List.<DnsRecord>of(new DnsRecord.Host("cart.shop", ADDRESS), new DnsRecord.Host("cart.shop", ADDRESS));
        var answer = DnsReply.answer(query(), records, 5, 45);
        assertThat(AddressReply.read(answer).ips()).containsExactly(ADDRESS);
        assertThat(answer[2] & 0x02).isEqualTo(0x02);
    }

    @Test
    void givenAQuestionOfOurOwn_thenItCanBeRead() {
        var ask = AddressReply.query(7, "a.example", DnsQuestion.A).orElseThrow();
        assertThat(ask.id()).isEqualTo(7);
        assertThat(ask.question().orElseThrow().name()).isEqualTo("a.example");
        assertThat(AddressReply.query(7, "a..example", DnsQuestion.A)).isEmpty();
    }

    @Test
    void givenAnAnswer_thenItIsNoQuery() {
        assertThat(DnsQuery.read(bytes("123481000001000000000000" + QUESTION))).isEmpty();
    }

    @Test
    void givenGarbage_thenReadingItNeverFails() {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(7);
        for (int i = 0; i < 20_000; i++) {
            var packet = new byte[12 + random.nextInt(52)];
            random.nextBytes(packet);
            packet[2] = 0;
            packet[4] = 0;
            packet[5] = 1;
            var query = DnsQuery.read(packet).orElseThrow();
            var reply = DnsReply.noSuchName(query);
            assertThat(reply[3] & 0xf).isEqualTo(DnsReply.NXDOMAIN);
            assertThat(AddressReply.read(packet).ips().size()).isLessThanOrEqualTo(packet.length);
        }
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }
}
