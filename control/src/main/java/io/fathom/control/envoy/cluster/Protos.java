// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.BoolValue;
import com.google.protobuf.Duration;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.Value;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Small messages.
final class Protos {
    static final BoolValue TRUE = BoolValue.of(true);

    private Protos() {}

    static Duration duration(java.time.Duration duration) {
        return Duration.newBuilder()
                .setSeconds(duration.getSeconds())
                .setNanos(duration.getNano())
                .build();
    }

    static UInt32Value number(int number) {
        return UInt32Value.of(number);
    }

    static Value text(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    static Value list(List<Value> values) {
        return Value.newBuilder()
                .setListValue(ListValue.newBuilder().addAllValues(values))
                .build();
    }

    static Value nested(Struct struct) {
        return Value.newBuilder().setStructValue(struct).build();
    }

    /// Always with the same bytes for the same fields.
    static Struct struct(Map<String, String> fields) {
        var struct = Struct.newBuilder();
        new TreeMap<>(fields).forEach((name, value) -> struct.putFields(name, text(value)));
        return struct.build();
    }
}
