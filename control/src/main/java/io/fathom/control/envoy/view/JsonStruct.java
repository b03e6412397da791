// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;

/// JSON objects as protobuf's own messages, and back.
public final class JsonStruct {
    private JsonStruct() {}

    /// Reads an object.
    ///
    /// @param json a JSON object, read from a manifest already
    public static Struct of(String json) {
        var struct = Struct.newBuilder();
        try {
            JsonFormat.parser().merge(json, struct);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("not a JSON object", e);
        }
        return struct.build();
    }

    public static String text(Struct struct) {
        try {
            return JsonFormat.printer().omittingInsignificantWhitespace().print(struct);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("no JSON", e);
        }
    }
}
