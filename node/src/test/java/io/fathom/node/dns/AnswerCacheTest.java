// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.IpPort;
import io.fathom.wire.dns.AddressReply;
import io.fathom.wire.dns.DnsQuery;
import io.fathom.wire.dns.DnsQuestion;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AnswerCacheTest {
    private final AnswerCache cache = new AnswerCache();

    private static DnsQuery query(byte[] bytes) {
        return DnsQuery.read(bytes).orElseThrow();
    }

    @Test
    void givenManyAnswers_thenSizeIsBounded_andLatestAreThere() {
        for (int i = 0; i < 5000; i++) {
            var bytes = Messages.query(i, "name-" + i + ".example.net", DnsQuestion.A);
            cache.put(query(bytes), Transport.UDP, Messages.answer(bytes, 0, 60, List.of("5.5.5.5")), Instant.EPOCH);
        }
        assertThat(cache.size()).isLessThanOrEqualTo(AnswerCache.CAPACITY);
        assertThat(found("name-4999.example.net", Transport.UDP)).isTrue();
        assertThat(found("name-4999.example.net", Transport.TCP)).isFalse();
        assertThat(found("name-0.example.net", Transport.UDP)).isFalse();
    }

    private boolean found(String name, Transport transport) {
        return cache.find(query(Messages.query(1, name, DnsQuestion.A)), transport, Instant.EPOCH)
                .isPresent();
    }

    @Test
    void givenErrorsOrNoLifetime_thenNotKept() {
        var bytes = Messages.query(1, "x.net", DnsQuestion.A);
        for (var reply : List.of(
                Messages.answer(bytes, 2, 60, List.of("5.5.5.5")),
                Messages.answer(bytes, 0, 0, List.of("5.5.5.5")),
                Messages.answer(bytes, 0, 60, List.of()),
                Messages.answer(bytes, 3, 60, List.of()),
                Arrays.copyOf(Messages.answer(bytes, 0, 60, List.of("5.5.5.5")), 30),
                new byte[3])) {
            cache.put(query(bytes), Transport.UDP, reply, Instant.EPOCH);
            assertThat(found("x.net", Transport.UDP)).isFalse();
        }
    }

    @Test
    void givenNegativeAnswerWithStartOfAuthority_thenKeptForItsMinimum() {
        var bytes = Messages.query(1, "x.net", DnsQuestion.A);
        var out = new ByteArrayOutputStream();
        out.writeBytes(Messages.answer(bytes, 3, 0, List.of()));
        out.writeBytes(new byte[] {(byte) 0xc0, 12, 0, 6, 0, 1, 0, 0, 14, 16, 0, 22, 0, 0});
        out.writeBytes(new byte[16]);
        out.writeBytes(new byte[] {0, 0, 0, 10});
        var reply = out.toByteArray();
        reply[9] = 1;
        cache.put(query(bytes), Transport.UDP, reply, Instant.EPOCH);

        assertThat(cache.find(query(bytes), Transport.UDP, Instant.EPOCH.plusSeconds(9)))
                .isPresent();
        assertThat(cache.find(query(bytes), Transport.UDP, Instant.EPOCH.plusSeconds(10)))
                .isEmpty();
    }

    @Test
    void givenRandomReplies_thenNothingBreaks() {
        var random = new Random(11);
        var bytes = Messages.ednsQuery(1, "x.net", DnsQuestion.A, 1232);
        for (int i = 0; i < 20_000; i++) {
            var reply = Messages.answer(bytes, 0, 60, List.of("5.5.5.5", "6.6.6.6"));
            for (int n = 0; n < 4; n++) {
                reply[random.nextInt(reply.length)] = (byte) random.nextInt();
            }
            cache.put(query(bytes), Transport.UDP, reply, Instant.EPOCH);
            var _ = cache.find(query(bytes), Transport.UDP, Instant.EPOCH);
            assertThat(AddressReply.read(reply).ips()).hasSizeLessThan(20);
        }
    }

    @Test
    void givenResolvConf_thenServersAndSearchDomainsAreRead() {
        var conf = ResolvConf.parse("""
                # made by kubelet
                search ns1.svc.cluster.local SVC.cluster.local.
                nameserver 10.96.0.10
                nameserver fe80::1%eth0
                nameserver nonsense
                options ndots:5
                """);
        assertThat(conf.servers().stream().map(IpPort::toString)).containsExactly("10.96.0.10:53", "[fe80::1]:53");
        assertThat(conf.searchDomains()).containsExactly("ns1.svc.cluster.local", "svc.cluster.local");
    }
}
