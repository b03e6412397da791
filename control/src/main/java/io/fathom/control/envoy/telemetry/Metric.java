// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import com.google.protobuf.UInt64Value;
import io.fathom.wire.proto.envoy.Config;
import io.fathom.wire.proto.envoy.Config.Histogram.Unit;
import java.util.Optional;

/// The metrics of the mesh, without the prefix `istio_`.
enum Metric {
    REQUEST_COUNT("requests_total", MetricTraffic.HTTP, Optional.empty(), Unit.Unspecified),
    REQUEST_DURATION("request_duration_milliseconds", MetricTraffic.HTTP, Optional.of("%DURATION%"), Unit.Milliseconds),
    REQUEST_SIZE("request_bytes", MetricTraffic.HTTP, Optional.of("%BYTES_RECEIVED%"), Unit.Bytes),
    RESPONSE_SIZE("response_bytes", MetricTraffic.HTTP, Optional.of("%BYTES_SENT%"), Unit.Bytes),
    TCP_OPENED_CONNECTIONS(
            "tcp_connections_opened_total", MetricTraffic.TCP_OPENED, Optional.empty(), Unit.Unspecified),
    TCP_CLOSED_CONNECTIONS(
            "tcp_connections_closed_total", MetricTraffic.TCP_CLOSED, Optional.empty(), Unit.Unspecified),
    TCP_SENT_BYTES("tcp_sent_bytes_total", MetricTraffic.TCP_CLOSED, Optional.of("%BYTES_SENT%"), Unit.Unspecified),
    TCP_RECEIVED_BYTES(
            "tcp_received_bytes_total", MetricTraffic.TCP_CLOSED, Optional.of("%BYTES_RECEIVED%"), Unit.Unspecified);

    /// When a metric is counted.
    enum MetricTraffic {
        HTTP,
        TCP_OPENED,
        TCP_CLOSED
    }

    private final String statName;
    private final MetricTraffic traffic;
    private final String value;
    private final Unit unit;

    Metric(String statName, MetricTraffic traffic, Optional<String> value, Unit unit) {
        this.statName = statName;
        this.traffic = traffic;
        this.value = value.orElse("");
        this.unit = unit;
    }

    MetricTraffic traffic() {
        return traffic;
    }

    void addTo(Config.Builder logger, Iterable<Config.Tag> tags) {
        var stat = Config.Stat.newBuilder().setName(statName).addAllTags(tags);
        if (unit != Unit.Unspecified) {
            logger.addHistograms(
                    Config.Histogram.newBuilder().setStat(stat).setUnit(unit).setValueFormat(value));
            return;
        }
        var counter = Config.Counter.newBuilder().setStat(stat);
        if (value.isEmpty()) {
            counter.setValueFixed(UInt64Value.of(1));
        } else {
            counter.setValueFormat(value);
        }
        logger.addCounters(counter);
    }
}
