// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import java.util.LinkedHashMap;

/// Merges one message into another as EnvoyFilters mean it: lists grow, values are replaced, and what is packed into an
/// `Any` is merged too when both sides have the same type.
final class DeepMerge {
    private static final String WELL_KNOWN = "google.protobuf.";

    private DeepMerge() {}

    /// @param change of the same type
    @SuppressWarnings("unchecked") // a builder of a message builds that message
    static <T extends Message> T merge(T base, Message change) {
        var result = base.toBuilder();
        change.getAllFields().forEach((field, value) -> merge(result, field, value));
        return (T) result.build();
    }

    private static void merge(Message.Builder into, FieldDescriptor field, Object change) {
        if (field.isMapField()) {
            mergeMap(into, field, change);
        } else if (field.isRepeated()) {
            ((Iterable<?>) change).forEach(item -> into.addRepeatedField(field, item));
        } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && into.hasField(field)) {
            into.setField(field, mergeValue((Message) into.getField(field), (Message) change));
        } else {
            into.setField(field, change);
        }
    }

    private static Message mergeValue(Message base, Message change) {
        if (base instanceof Any known && change instanceof Any packed) {
            return mergeAny(known, packed);
        }
        var type = base.getDescriptorForType().getFullName();
        // Durations and wrapped numbers are values, not groups of fields.
        var value = type.startsWith(WELL_KNOWN)
                && !type.equals(Struct.getDescriptor().getFullName());
        return value ? change : merge(base, change);
    }

    private static Any mergeAny(Any base, Any change) {
        var type = base.getTypeUrl().substring(base.getTypeUrl().lastIndexOf('/') + 1);
        if (!base.getTypeUrl().equals(change.getTypeUrl())) {
            return change;
        }
        var empty = EnvoyTypes.find(type);
        if (empty.isEmpty()) {
            return change;
        }
        try {
            var parser = empty.get().getParserForType();
            return Any.pack(merge(parser.parseFrom(base.getValue()), parser.parseFrom(change.getValue())));
        } catch (InvalidProtocolBufferException _) {
            return change;
        }
    }

    private static void mergeMap(Message.Builder into, FieldDescriptor field, Object change) {
        var entries = new LinkedHashMap<Object, Message>();
        var key = field.getMessageType().findFieldByName("key");
        var value = field.getMessageType().findFieldByName("value");
        ((Iterable<?>) into.getField(field))
                .forEach(entry -> entries.put(((Message) entry).getField(key), (Message) entry));
        ((Iterable<?>) change).forEach(item -> {
            var entry = (Message) item;
            var before = entries.get(entry.getField(key));
            if (before != null && value.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                var merged = mergeValue((Message) before.getField(value), (Message) entry.getField(value));
                entries.put(entry.getField(key), withValue(before, value, merged));
            } else {
                entries.put(entry.getField(key), entry);
            }
        });
        into.clearField(field);
        entries.values().forEach(entry -> into.addRepeatedField(field, entry));
    }

    private static Message withValue(Message entry, FieldDescriptor field, Message value) {
        var builder = entry instanceof MapEntry<?, ?> typed ? typed.toBuilder() : entry.toBuilder();
        return builder.setField(field, value).build();
    }
}
