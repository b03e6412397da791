// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.util.Durations;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap.StaticResources;
import io.envoyproxy.envoy.config.route.v3.DirectResponseAction;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.fathom.control.envoy.Plain;
import io.fathom.control.envoy.Sketch;
import io.fathom.control.envoy.StockEnvoy;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.wire.kube.meshconfig.MeshTelemetry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How many metrics a stock Envoy keeps, and for how long.
@Tag("slow")
class MetricLimitsTest {
    private static final int STATS_EVICTION_INTERVAL = 42;
    private static final int MOST = 3;

    @TempDir
    Path folder;

    @Test
    void givenMoreLabelsThanAllowed_thenSomeAreDropped_andUnusedOnesGoAway() throws Exception {
        var scope = TelemetryScope.of(
                new TelemetryScope.Settings(MeshTelemetry.NOTHING, "", MOST),
                Sketch.behind(
                        Sketch.proxies(ProxyRole.WAYPOINT, "apps", "waypoint"), Sketch.service("apps", "echo", 80)),
                List.of(),
                Sketch.destinations());
        var codes = IntStream.range(200, 208).boxed().toList();
        var routes = codes.stream()
                .map(code -> Route.newBuilder()
                        .setMatch(RouteMatch.newBuilder().setPath("/" + code))
                        .setDirectResponse(DirectResponseAction.newBuilder().setStatus(code))
                        .build())
                .toArray(Route[]::new);
        var manager = HttpConnectionManager.newBuilder()
                .setStatPrefix("http")
                .setRouteConfig(Plain.routes("http", routes))
                .addHttpFilters(Plain.router());
        scope.addTo(manager);
        var eviction = UnknownFieldSet.Field.newBuilder()
                .addLengthDelimited(Durations.fromSeconds(5).toByteString())
                .build();
        var bootstrap = Bootstrap.newBuilder()
                .setStatsFlushInterval(Durations.fromMillis(500))
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(STATS_EVICTION_INTERVAL, eviction)
                        .build())
                .setStaticResources(StaticResources.newBuilder()
                        .addListeners(Plain.listener("http", Plain.manager(manager.build()))))
                .build();
        try (var envoy = StockEnvoy.start(folder, bootstrap);
                var client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build()) {
            for (var code : codes) {
                var uri = URI.create("http://127.0.0.1:" + envoy.port("http") + "/" + code);
                assertThat(client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                                .statusCode())
                        .isEqualTo(code);
            }
            // Nothing goes away sooner than it was unused for a whole interval.
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(series(envoy)).isNotEmpty());
            assertThat(series(envoy)).hasSizeLessThanOrEqualTo(MOST);
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(series(envoy)).isEmpty());
        }
    }

    private static List<String> series(StockEnvoy envoy) throws IOException {
        return envoy.admin("/stats/prometheus")
                .lines()
                .filter(line -> line.startsWith("envoy_istio_requests_total{"))
                .toList();
    }
}
