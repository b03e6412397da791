// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.junit.jupiter.api.Test;

class MetricsTextTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();

    @Test
    void givenACounter_thenItIsCalledWhatUpstreamCallsIt() {
        Counter.builder()
                .name("pilot_xds_pushes")
                .help("Pushes.")
                .labelNames("type")
                .register(registry)
                .labelValues("wds")
                .inc(3);

        assertThat(text()).isEqualTo("""
                # HELP pilot_xds_pushes Pushes.
                # TYPE pilot_xds_pushes counter
                pilot_xds_pushes{type="wds"} 3
                """);
    }

    @Test
    void givenAHistogram_thenBucketsAddUp() {
        var histogram = Histogram.builder()
                .name("pilot_xds_push_time")
                .classicOnly()
                .classicUpperBounds(0.1, 1)
                .register(registry);
        histogram.observe(0.05);
        histogram.observe(0.5);
        histogram.observe(5);

        assertThat(text()).isEqualTo("""
                # TYPE pilot_xds_push_time histogram
                pilot_xds_push_time_bucket{le="0.1"} 1
                pilot_xds_push_time_bucket{le="1"} 2
                pilot_xds_push_time_bucket{le="+Inf"} 3
                pilot_xds_push_time_sum 5.55
                pilot_xds_push_time_count 3
                """);
    }

    @Test
    void givenAWildLabel_thenItIsEscaped() {
        Gauge.builder()
                .name("pilot_xds")
                .labelNames("version")
                .register(registry)
                .labelValues("a\"b\\c\nd")
                .set(1.5);

        assertThat(text()).contains("pilot_xds{version=\"a\\\"b\\\\c\\nd\"} 1.5\n");
    }

    private String text() {
        return MetricsText.of(registry.scrape());
    }
}
