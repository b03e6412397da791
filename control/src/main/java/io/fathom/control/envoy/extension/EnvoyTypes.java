// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import io.fathom.wire.proto.envoy.Config;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/// The messages of Envoy by their full names, and JSON to them. Types are looked up when they are named, not before.
final class EnvoyTypes {
    private static final Pattern TYPE = Pattern.compile("\"@type\"\\s*:\\s*\"(?:[^\"/]*/)*([A-Za-z0-9_.]+)\"");
    private static final Map<String, Optional<Message>> KNOWN = new ConcurrentHashMap<>();

    static {
        // Of this one we have a description of our own.
        KNOWN.put(Config.getDescriptor().getFullName(), Optional.of(Config.getDefaultInstance()));
    }

    private EnvoyTypes() {}

    /// @throws InvalidProtocolBufferException that says which field or type is not there, or what is wrong with a value
    static void read(String json, Message.Builder into) throws InvalidProtocolBufferException {
        var registry = TypeRegistry.newBuilder();
        for (var match = TYPE.matcher(json); match.find(); ) {
            find(match.group(1)).map(Message::getDescriptorForType).ifPresent(registry::add);
        }
        JsonFormat.parser().usingTypeRegistry(registry.build()).merge(json, into);
    }

    /// An empty message of that type.
    static Optional<Message> find(String fullName) {
        return KNOWN.computeIfAbsent(fullName, EnvoyTypes::load);
    }

    static boolean isSame(Message message, Descriptor type) {
        return message.getDescriptorForType().getFullName().equals(type.getFullName());
    }

    private static Optional<Message> load(String fullName) {
        return className(fullName).flatMap(EnvoyTypes::instance);
    }

    private static Optional<String> className(String fullName) {
        if (fullName.startsWith("envoy.")) {
            return Optional.of("io.envoyproxy." + fullName);
        }
        if (fullName.startsWith("xds.")) {
            return Optional.of("com.github." + fullName);
        }
        if (fullName.startsWith("udpa.")) {
            return Optional.of("com.github.udpa." + fullName);
        }
        return fullName.startsWith("google.protobuf.") ? Optional.of("com." + fullName) : Optional.empty();
    }

    private static Optional<Message> instance(String className) {
        try {
            var type = Class.forName(className, false, EnvoyTypes.class.getClassLoader());
            return Message.class.isAssignableFrom(type)
                    ? Optional.of((Message) type.getMethod("getDefaultInstance").invoke(null))
                    : Optional.empty();
        } catch (ReflectiveOperationException | LinkageError _) {
            return Optional.empty();
        }
    }
}
