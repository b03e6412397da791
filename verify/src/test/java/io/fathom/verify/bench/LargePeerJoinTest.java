// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.verify.client.RunningFathomd;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two whole control planes. A Gateway links a small cluster to one of five thousand pods on the same network, whose
/// endpoints all travel, while endpoints of the small one change and a client waits for each change; then the Gateway
/// goes.
@Tag("slow")
class LargePeerJoinTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int PODS = 5_000;
    private static final int SERVICES = 500;

    @TempDir
    private Path root;

    private BenchCluster small;
    private BenchCluster large;
    private RunningFathomd west;
    private RunningFathomd east;
    private Arrivals client;
    private int changes;

    @BeforeEach
    void start() throws Exception {
        small = new BenchCluster(root.resolve("west"), 1, "shared", "127.0.0.1", 200, 100);
        large = new BenchCluster(root.resolve("east"), 2, "shared", "127.0.0.2", PODS, SERVICES);
        small.write();
        large.write();
        large.link(small);
        west = control(small);
        east = control(large);
        client = Arrivals.open(west.plaintextPort(), 300);
    }

    private RunningFathomd control(BenchCluster cluster) {
        var authority = root.resolve("ca.pem").toString();
        return RunningFathomd.on(cluster.folder(), Map.of("CLUSTER_ID", cluster.id(), "FATHOM_CA_FILE", authority));
    }

    @AfterEach
    void stop() {
        client.close();
        east.close();
        west.close();
    }

    @Test
    void whenALargeClusterIsLinked_thenOurChangesDoNotWaitForIt_andNothingIsLeftWhenItIsUnlinked() throws Exception {
        for (int i = 0; i < 50; i++) {
            change();
        }
        var served = served();
        var clusters = west.json("/debug/clusterz").findValuesAsText("id");
        var metrics = metrics();

        var told = client.resources();
        small.link(large, east.tlsPort());
        var meanwhile = 0;
        while (client.resources() - told - meanwhile < PODS) { // with each change comes one
            change();
            meanwhile++;
        }
        assertThat(west.json("/debug/clusterz").findValuesAsText("id")).containsExactly("cluster-1", "cluster-2");
        assertThat(served().size()).isGreaterThanOrEqualTo(served.size() + PODS);

        small.unlink(large);
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> assertThat(difference(served(), served)).isEmpty());
        System.out.println(meanwhile + " changes came through while five thousand endpoints were learnt");
        assertThat(meanwhile).isGreaterThanOrEqualTo(2);
        assertThat(west.json("/debug/clusterz").findValuesAsText("id")).isEqualTo(clusters);
        assertThat(west.text("/debug/reachz")).doesNotContain("cluster-2", "127.0.0.2");
        assertThat(west.text("/debug/ambientz")).doesNotContain("cluster-2", "10.144.");
        assertThat(metrics()).isEqualTo(metrics);
    }

    /// What only one of them has.
    private static Set<String> difference(Set<String> one, Set<String> other) {
        var all = new TreeSet<>(one);
        all.addAll(other);
        all.removeIf(name -> one.contains(name) && other.contains(name));
        return all;
    }

    /// Workloads and services, the latter with their addresses.
    private Set<String> served() {
        var names = new TreeSet<String>();
        var all = west.json("/debug/ambientz");
        for (var workload : all.at("/workloads")) {
            names.add(workload.at("/uid").asText());
        }
        for (JsonNode service : all.at("/services")) {
            names.add(service.at("/hostname").asText() + service.at("/addresses"));
        }
        return names;
    }

    /// Names of series that tell of a cluster or of how much there is.
    private List<String> metrics() {
        return west.text("/metrics")
                .lines()
                .filter(line -> line.contains("cluster") && !line.startsWith("#"))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .sorted()
                .collect(Collectors.toList());
    }

    private void change() throws Exception {
        var service = changes++ % small.services();
        client.expect(BenchCluster.key(service));
        small.ready(service, changes / small.services() % 2 == 1);
        var _ = client.await(PATIENCE);
    }
}
