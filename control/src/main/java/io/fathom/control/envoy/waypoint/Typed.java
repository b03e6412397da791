// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLog;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLogFilter;
import io.envoyproxy.envoy.config.core.v3.SubstitutionFormatString;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.ListenerFilter;
import io.envoyproxy.envoy.extensions.access_loggers.file.v3.FileAccessLog;
import io.envoyproxy.envoy.extensions.filters.listener.original_dst.v3.OriginalDst;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;

/// Short ways to say what all of Envoy's configuration is made of.
final class Typed {
    private Typed() {}

    static HttpFilter http(String name, Message config) {
        return HttpFilter.newBuilder()
                .setName(name)
                .setTypedConfig(Any.pack(config))
                .build();
    }

    static Filter network(String name, Message config) {
        return Filter.newBuilder()
                .setName(name)
                .setTypedConfig(Any.pack(config))
                .build();
    }

    static ListenerFilter listener(String name, Message config) {
        return ListenerFilter.newBuilder()
                .setName(name)
                .setTypedConfig(Any.pack(config))
                .build();
    }

    static ListenerFilter originalDestination() {
        return listener("envoy.filters.listener.original_dst", OriginalDst.getDefaultInstance());
    }

    /// A line on standard output for each connection or request that the filter lets through.
    static AccessLog line(AccessLogFilter filter, String format) {
        var file = FileAccessLog.newBuilder().setPath("/dev/stdout").setLogFormat(text(format + "\n"));
        return AccessLog.newBuilder()
                .setName("envoy.access_loggers.file")
                .setFilter(filter)
                .setTypedConfig(Any.pack(file.build()))
                .build();
    }

    static SubstitutionFormatString text(String format) {
        var result = SubstitutionFormatString.newBuilder();
        result.getTextFormatSourceBuilder().setInlineString(format);
        return result.build();
    }

    static Duration seconds(long seconds) {
        return Duration.newBuilder().setSeconds(seconds).build();
    }

    static Duration duration(java.time.Duration time) {
        return Duration.newBuilder()
                .setSeconds(time.getSeconds())
                .setNanos(time.getNano())
                .build();
    }

    static UInt32Value number(int value) {
        return UInt32Value.of(value);
    }
}
