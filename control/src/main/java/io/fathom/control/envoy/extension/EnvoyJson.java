// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import java.util.List;

/// Configuration of Envoys as JSON, with all that is packed into it. Pure.
public final class EnvoyJson {
    private final TypeRegistry.Builder types = TypeRegistry.newBuilder();

    private EnvoyJson() {}

    public static String of(Message message) {
        var json = new EnvoyJson();
        try {
            var readable = json.readable(message);
            return JsonFormat.printer()
                    .usingTypeRegistry(json.types.build())
                    .preservingProtoFieldNames()
                    .print(readable);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("we made it", e);
        }
    }

    /// The same without the content of what is packed and of no type that we know.
    private Message readable(Message message) throws InvalidProtocolBufferException {
        if (message instanceof Any any) {
            return readable(any);
        }
        var result = message.toBuilder();
        for (var entry : message.getAllFields().entrySet()) {
            var field = entry.getKey();
            if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
                continue;
            }
            if (field.isRepeated()) {
                var values = (List<?>) entry.getValue();
                for (var i = 0; i < values.size(); i++) {
                    result.setRepeatedField(field, i, readable((Message) values.get(i)));
                }
            } else {
                result.setField(field, readable((Message) entry.getValue()));
            }
        }
        return result.build();
    }

    private Any readable(Any any) throws InvalidProtocolBufferException {
        var name = any.getTypeUrl().substring(any.getTypeUrl().lastIndexOf('/') + 1);
        var type = EnvoyTypes.find(name);
        if (type.isEmpty()) {
            return Any.getDefaultInstance();
        }
        types.add(type.get().getDescriptorForType());
        var content = readable(type.get().getParserForType().parseFrom(any.getValue()));
        return Any.newBuilder()
                .setTypeUrl(any.getTypeUrl())
                .setValue(content.toByteString())
                .build();
    }
}
