// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Object types by name. Equal ones share the name that came first. For one thread.
final class TypeTable {
    private final SortedMap<String, List<String>> types = new TreeMap<>();
    private final Map<List<String>, String> names = new HashMap<>();

    /// The name of a type with these lines.
    ///
    /// @param wanted what to call it if it is new
    String add(String wanted, List<String> lines) {
        return names.computeIfAbsent(lines, _ -> {
            var name = wanted;
            for (var twin = 2; types.containsKey(name); twin++) {
                name = wanted + "~" + twin;
            }
            types.put(name, lines);
            return name;
        });
    }

    void write(StringBuilder text) {
        types.forEach((name, lines) -> {
            text.append("type ").append(name).append('\n');
            lines.forEach(line -> text.append(' ').append(line).append('\n'));
        });
    }
}
