// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.store;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Named values, each name any number of times. Immutable; never printed, as values may be secrets.
public final class FileRecord {
    private final List<Entry> entries;

    private record Entry(String name, String value) {}

    private FileRecord(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    public static RecordBuilder builder() {
        return new RecordBuilder();
    }

    /// Collects values. For one thread.
    public static final class RecordBuilder {
        private final List<Entry> entries = new ArrayList<>();

        private RecordBuilder() {}

        /// One more value.
        ///
        /// @param value on one line
        public RecordBuilder add(String name, String value) {
            if (value.indexOf('\n') >= 0 || name.indexOf(' ') >= 0) {
                throw new IllegalArgumentException("a record has a value on one line: " + name);
            }
            entries.add(new Entry(name, value));
            return this;
        }

        public RecordBuilder addAll(String name, List<String> values) {
            values.forEach(value -> add(name, value));
            return this;
        }

        /// Anything else.
        public RecordBuilder add(String name, byte[] value) {
            return add(name, Base64.getEncoder().encodeToString(value));
        }

        public FileRecord build() {
            return new FileRecord(entries);
        }
    }

    public Optional<String> text(String name) {
        return texts(name).stream().findFirst();
    }

    /// One that every record of its kind has.
    public String required(String name) {
        return text(name)
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "record-incomplete",
                        "a record of the fleet has no '" + name + "'",
                        "it was written by another version: remove it, or go back to that version")));
    }

    public List<String> texts(String name) {
        return entries.stream()
                .filter(entry -> entry.name.equals(name))
                .map(Entry::value)
                .toList();
    }

    public Optional<byte[]> bytes(String name) {
        return blobs(name).stream().findFirst();
    }

    public List<byte[]> blobs(String name) {
        return texts(name).stream().map(Base64.getDecoder()::decode).toList();
    }

    /// The same with one more value.
    public FileRecord with(String name, String value) {
        var more = builder();
        entries.forEach(entry -> more.add(entry.name, entry.value));
        return more.add(name, value).build();
    }

    /// All values by name.
    public Map<String, List<String>> values() {
        var values = new LinkedHashMap<String, List<String>>();
        entries.forEach(entry ->
                values.computeIfAbsent(entry.name, _ -> new ArrayList<>()).add(entry.value));
        return values;
    }

    byte[] encoded() {
        var text = new StringBuilder();
        entries.forEach(
                entry -> text.append(entry.name).append(' ').append(entry.value).append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /// As lines of text, which [#parse] reads.
    public String text() {
        return new String(encoded(), StandardCharsets.UTF_8);
    }

    public static FileRecord parse(String text) {
        return decoded(text);
    }

    static FileRecord decoded(String text) {
        return new FileRecord(text.lines()
                .filter(line -> line.indexOf(' ') > 0)
                .map(line -> new Entry(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1)))
                .toList());
    }
}
