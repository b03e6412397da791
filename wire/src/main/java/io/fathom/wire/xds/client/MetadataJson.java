// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import java.io.IOException;

/// JSON of any kind as an entry of the node's metadata. Text that is no JSON stands for itself.
final class MetadataJson {
    private static final JsonFactory JSON = new JsonFactory();

    private MetadataJson() {}

    static Value text(String value) {
        return Value.newBuilder().setStringValue(value).build();
    }

    static Value parse(String json) {
        try (var parser = JSON.createParser(json)) {
            parser.nextToken();
            var value = value(parser);
            return parser.nextToken() == null ? value : text(json);
        } catch (IOException e) {
            return text(json);
        }
    }

    private static Value value(JsonParser parser) throws IOException {
        var value = Value.newBuilder();
        switch (parser.currentToken()) {
            case START_OBJECT -> value.setStructValue(object(parser));
            case START_ARRAY -> value.setListValue(list(parser));
            case VALUE_STRING -> value.setStringValue(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> value.setNumberValue(parser.getDoubleValue());
            case VALUE_TRUE -> value.setBoolValue(true);
            case VALUE_FALSE -> value.setBoolValue(false);
            case VALUE_NULL -> value.setNullValue(NullValue.NULL_VALUE);
            case null, default -> throw new IOException("no JSON value");
        }
        return value.build();
    }

    private static Struct object(JsonParser parser) throws IOException {
        var fields = Struct.newBuilder();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            var name = parser.currentName();
            parser.nextToken();
            fields.putFields(name, value(parser));
        }
        return fields.build();
    }

    private static ListValue list(JsonParser parser) throws IOException {
        var items = ListValue.newBuilder();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.addValues(value(parser));
        }
        return items.build();
    }
}
