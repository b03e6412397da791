package io.fathom.wire.kube.tree;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;

/// A tree as one line of JSON, with its entries in their order. Stateless.
public final class JsonText {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonText() {}

    public static String of(Tree tree) {
        var text = new StringWriter();
        try (var json = FACTORY.createGenerator(text)) {
            write(json, tree);
        } catch (IOException e) {
            throw new AssertionError("writing to memory cannot fail", e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, Tree tree) throws IOException {
        switch (tree) {
            case Tree.Scalar scalar -> scalar(json, scalar);
            case Tree.Sequence sequence -> {
                json.writeStartArray();
                for (var item : sequence.items()) {
                    write(json, item);
                }
                json.writeEndArray();
            }
            case Tree.Mapping mapping -> {
                json.writeStartObject();
                for (var entry : mapping.entries().entrySet()) {
                    json.writeFieldName(entry.getKey());
                    write(json, entry.getValue());
                }
                json.writeEndObject();
            }
        }
    }

    private static void scalar(JsonGenerator json, Tree.Scalar scalar) throws IOException {
        switch (scalar.kind()) {
            case TEXT -> json.writeString(scalar.text());
            case FLAG -> json.writeBoolean(PlainScalar.flag(scalar.text()));
            case NONE -> json.writeNull();
            case INTEGER -> {
                var number = PlainScalar.integer(scalar.text());
                if (number.isPresent()) {
                    json.writeNumber(number.getAsLong());
                } else {
                    json.writeString(scalar.text());
                }
            }
            case DECIMAL -> decimal(json, scalar.text());
        }
    }

    private static void decimal(JsonGenerator json, String text) throws IOException {
        try {
            json.writeNumber(new BigDecimal(text.replace("_", "")));
        } catch (NumberFormatException e) {
            json.writeString(text); // an infinity: JSON has none
        }
    }
}
