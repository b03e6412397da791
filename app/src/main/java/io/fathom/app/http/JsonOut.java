// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Writes JSON as it goes, so that a dump of a large mesh needs no memory of its own. Like protobuf's JSON it leaves
/// out what is empty, zero or false. Not safe for use by several threads.
public final class JsonOut implements AutoCloseable {
    private static final JsonFactory FACTORY =
            JsonFactory.builder().build().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);

    private static final Separators SEPARATORS =
            Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER);

    /// How the text is laid out.
    public enum Layout {
        COMPACT,
        PRETTY
    }

    private final JsonGenerator out;

    private JsonOut(JsonGenerator out) {
        this.out = out;
    }

    static JsonOut to(OutputStream stream, Layout layout) {
        try {
            var generator = FACTORY.createGenerator(stream);
            if (layout == Layout.PRETTY) {
                var lines = new DefaultIndenter("  ", "\n");
                generator.setPrettyPrinter(new DefaultPrettyPrinter(SEPARATORS)
                        .withObjectIndenter(lines)
                        .withArrayIndenter(lines));
            }
            return new JsonOut(generator);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The whole answer, or an element of a list.
    public JsonOut object(Consumer<JsonOut> fields) {
        return quietly(() -> {
            out.writeStartObject();
            fields.accept(this);
            out.writeEndObject();
        });
    }

    /// For parts that write their fields themselves.
    public interface Fields {
        void write(JsonGenerator out) throws IOException;
    }

    /// Fields of the object at hand.
    public JsonOut fields(Fields fields) {
        return quietly(() -> fields.write(out));
    }

    public <T> JsonOut list(Iterable<T> values, BiConsumer<JsonOut, T> element) {
        return quietly(() -> {
            out.writeStartArray();
            values.forEach(value -> element.accept(this, value));
            out.writeEndArray();
        });
    }

    /// An element of a list.
    public JsonOut value(String text) {
        return quietly(() -> out.writeString(text));
    }

    /// An element of a list.
    public JsonOut value(long number) {
        return quietly(() -> out.writeNumber(number));
    }

    public JsonOut text(String name, String value) {
        return value.isEmpty() ? this : quietly(() -> out.writeStringField(name, value));
    }

    public JsonOut number(String name, long value) {
        return value == 0 ? this : quietly(() -> out.writeNumberField(name, value));
    }

    /// A number that is there even when it is zero.
    public JsonOut count(String name, long value) {
        return quietly(() -> out.writeNumberField(name, value));
    }

    public JsonOut flag(String name, boolean value) {
        return value ? quietly(() -> out.writeBooleanField(name, true)) : this;
    }

    /// The name of an enum's value; the first one is the default.
    public JsonOut choice(String name, Enum<?> value) {
        return value == value.getDeclaringClass().getEnumConstants()[0] ? this : text(name, value.name());
    }

    public JsonOut object(String name, Consumer<JsonOut> fields) {
        return quietly(() -> {
            out.writeFieldName(name);
            object(fields);
        });
    }

    public <T> JsonOut list(String name, Iterable<T> values, BiConsumer<JsonOut, T> element) {
        return values.iterator().hasNext() ? wholeList(name, values, element) : this;
    }

    /// A list that is there even when it is empty.
    public <T> JsonOut wholeList(String name, Iterable<T> values, BiConsumer<JsonOut, T> element) {
        return quietly(() -> {
            out.writeFieldName(name);
            list(values, element);
        });
    }

    public JsonOut texts(String name, Iterable<String> values) {
        return list(name, values, JsonOut::value);
    }

    public JsonOut texts(String name, Map<String, String> values) {
        return values.isEmpty() ? this : object(name, fields -> values.forEach(fields::textOrEmpty));
    }

    private void textOrEmpty(String name, String value) {
        quietly(() -> out.writeStringField(name, value));
    }

    /// A terminal wants the last line to end.
    void end(Layout layout) {
        if (layout == Layout.PRETTY) {
            quietly(() -> out.writeRaw('\n'));
        }
    }

    @Override
    public void close() {
        quietly(out::close);
    }

    private JsonOut quietly(Writing writing) {
        try {
            writing.write();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Writing {
        void write() throws IOException;
    }
}
