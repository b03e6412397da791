// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.fathom.wire.proto.security.Authorization;
import io.fathom.wire.proto.workload.Address;
import java.util.Base64;

/// A resource off the wire as canonical protobuf JSON, with bytes shown as IP text.
public final class ResourceJson {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonFormat.Printer PRINTER = JsonFormat.printer().omittingInsignificantWhitespace();

    private ResourceJson() {}

    /// Decodes; refuses bytes with fields that our messages do not know, since they would be lost in a comparison.
    static JsonNode decode(Any resource) {
        try {
            Message message = switch (resource.getTypeUrl()) {
                case ResourceType.ADDRESS_URL -> Address.parseFrom(resource.getValue());
                case ResourceType.AUTHORIZATION_URL -> Authorization.parseFrom(resource.getValue());
                default -> throw new IllegalStateException("unexpected type " + resource.getTypeUrl());
            };
            refuseUnknownFields(message);
            return ofProtobufJson(JSON.readTree(PRINTER.print(message)));
        } catch (InvalidProtocolBufferException | JsonProcessingException e) {
            throw new IllegalStateException("undecodable resource of type " + resource.getTypeUrl(), e);
        }
    }

    /// The same from any tool that prints canonical protobuf JSON.
    public static JsonNode ofProtobufJson(JsonNode resource) {
        var copy = resource.deepCopy();
        textForBytes(copy, "");
        return Normaliser.normalise(copy);
    }

    private static void textForBytes(JsonNode node, String owner) {
        if (node instanceof ObjectNode object) {
            object.properties().forEach(field -> {
                var inNetworkAddress =
                        field.getKey().equals("address") && field.getValue().isTextual();
                if (inNetworkAddress) {
                    field.setValue(ipText(field.getValue()));
                } else if (field.getKey().equals("addresses") && owner.equals("workload")) {
                    if (field.getValue() instanceof ArrayNode list) {
                        for (var i = 0; i < list.size(); i++) {
                            list.set(i, ipText(list.get(i)));
                        }
                    }
                } else {
                    textForBytes(field.getValue(), field.getKey());
                }
            });
        } else {
            node.forEach(child -> textForBytes(child, owner));
        }
    }

    private static TextNode ipText(JsonNode base64) {
        return TextNode.valueOf(IpText.of(Base64.getDecoder().decode(base64.textValue())));
    }

    private static void refuseUnknownFields(Message message) {
        if (!message.getUnknownFields().asMap().isEmpty()) {
            throw new IllegalStateException("unknown fields in %s: %s"
                    .formatted(message.getDescriptorForType().getFullName(), message.getUnknownFields()));
        }
        message.getAllFields().values().forEach(value -> {
            switch (value) {
                case Message child -> refuseUnknownFields(child);
                case Iterable<?> many ->
                    many.forEach(each -> {
                        if (each instanceof Message child) {
                            refuseUnknownFields(child);
                        }
                    });
                default -> {}
            }
        });
    }
}
