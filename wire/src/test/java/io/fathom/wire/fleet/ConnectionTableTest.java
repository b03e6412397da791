// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionTableTest {
    private final List<String> evicted = new ArrayList<>();
    private final List<Integer> shut = new ArrayList<>();
    private final ConnectionTable table = new ConnectionTable(
            new FleetLimits(4, 2, Duration.ofSeconds(2), 1000, 2),
            (reason, peer) -> evicted.add(reason.code() + " " + peer));

    private InetSocketAddress connect(String address, int port) {
        var peer = new InetSocketAddress(address, port);
        table.accepted(connection(peer));
        return peer;
    }

    private ConnectionTable.Connection connection(InetSocketAddress peer) {
        return new ConnectionTable.Connection(peer) {
            @Override
            void close() {
                shut.add(peer.getPort());
            }
        };
    }

    @Test
    void givenManyStrangersAtOneAddress_thenItsOldestGoes() {
        for (var port = 1; port <= 5; port++) {
            connect("10.0.0.1", port);
        }
        connect("10.0.0.2", 6);

        assertThat(shut).containsExactly(1, 2, 3);
        assertThat(evicted).containsOnly("address-crowded 10.0.0.1");
        assertThat(table.counts().strangers()).isEqualTo(3);
    }

    @Test
    void givenManyStrangers_thenTheOldestGoes_butNoMember() {
        table.identified(connect("10.0.0.1", 1), "west");
        for (var last = 2; last <= 6; last++) {
            connect("10.0.0." + last, last);
        }

        assertThat(shut).containsExactly(2);
        assertThat(evicted).containsExactly("strangers-crowded 10.0.0.2");
        assertThat(table.counts().members()).isEqualTo(1);
    }

    @Test
    void givenManyConnectionsOfOneCluster_thenItsOldestGoes() {
        for (var port = 1; port <= 3; port++) {
            table.identified(connect("10.0.0.1", port), "west");
        }
        table.identified(connect("10.0.0.1", 4), "east");

        assertThat(shut).containsExactly(1);
        assertThat(evicted).containsExactly("cluster-crowded 10.0.0.1");
    }

    @Test
    void whenTimeGoesBy_orALotComes_thenStrangersGo_andMembersStay() {
        table.identified(connect("10.0.0.1", 1), "west");
        connect("10.0.0.2", 2);
        var talker = connection(new InetSocketAddress("10.0.0.3", 3));
        table.accepted(talker);

        table.received(talker, 1000);
        assertThat(shut).isEmpty();
        table.received(talker, 1001);
        assertThat(shut).containsExactly(3);

        for (var second = 0; second < 3; second++) {
            table.tick();
        }
        assertThat(shut).containsExactly(3, 2);
        assertThat(evicted).containsExactly("stranger-oversized 10.0.0.3", "stranger-lingering 10.0.0.2");
        assertThat(table.counts().strangers()).isZero();
        assertThat(table.counts().members()).isEqualTo(1);
    }
}
