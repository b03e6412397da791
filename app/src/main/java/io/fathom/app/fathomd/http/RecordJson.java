// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.http.JsonOut;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Any record as JSON, a field for each component, without those that are empty. For pages that show what was read;
/// what other programs parse has a writer of its own.
final class RecordJson {
    private RecordJson() {}

    static void fields(JsonOut json, Record record, String... without) {
        for (var component : record.getClass().getRecordComponents()) {
            if (!List.of(without).contains(component.getName())) {
                field(json, component.getName(), plain(read(component, record)));
            }
        }
    }

    private static void field(JsonOut json, String name, @Nullable Object value) {
        switch (value) {
            case null -> {}
            case String text -> json.text(name, text);
            case Long number -> json.number(name, number);
            case Boolean flag -> json.flag(name, flag);
            case List<?> list -> json.list(name, list, RecordJson::element);
            case Map<?, ?> map when map.isEmpty() -> {}
            case Map<?, ?> map ->
                json.object(name, out -> map.forEach((key, entry) -> field(out, String.valueOf(key), plain(entry))));
            case Record record -> json.object(name, out -> fields(out, record));
            default -> json.text(name, value.toString());
        }
    }

    private static void element(JsonOut json, Object value) {
        switch (plain(value)) {
            case Long number -> json.value(number);
            case Record record -> json.object(out -> fields(out, record));
            case List<?> list -> json.list(list, RecordJson::element);
            case null -> json.value("");
            case Object other -> json.value(other.toString());
        }
    }

    /// Reduces what a component can hold to text, whole numbers, flags, lists, sorted maps and records.
    private static @Nullable Object plain(@Nullable Object value) {
        return switch (value) {
            case Optional<?> optional -> plain(optional.orElse(null));
            case Integer number -> number.longValue();
            case Ip ip -> ip.toString();
            case IpBlock block -> block.toString();
            case Instant instant -> instant.toString();
            case Enum<?> choice -> choice.name();
            case Map<?, ?> map -> sorted(map);
            case Iterable<?> list -> {
                List<Object> values = new ArrayList<>();
                list.forEach(values::add);
                yield values;
            }
            case Object[] array -> Arrays.asList(array);
            case null, default -> value;
        };
    }

    private static Map<String, Object> sorted(Map<?, ?> map) {
        Map<String, Object> sorted = new TreeMap<>();
        map.forEach((key, value) -> sorted.put(String.valueOf(key), value));
        return sorted;
    }

    private static @Nullable Object read(RecordComponent component, Record record) {
        try {
            var accessor = component.getAccessor();
            accessor.setAccessible(true); // a record may be of a package-private type
            return accessor.invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("record without a readable component " + component.getName(), e);
        }
    }
}
