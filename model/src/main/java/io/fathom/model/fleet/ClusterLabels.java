// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// What operators say of a cluster, so that others can name it together with its like. Keys and values are spelt as
/// labels of Kubernetes are.
public record ClusterLabels(Map<String, String> values) {
    public static final ClusterLabels NONE = new ClusterLabels(Map.of());
    private static final String WORD = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
    private static final String PREFIX = "[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?";
    private static final Pattern LABEL = Pattern.compile("(%s/)?%s=(%s)?".formatted(PREFIX, WORD, WORD));

    public ClusterLabels {
        values = Map.copyOf(values);
    }

    /// From words like `env=prod`.
    ///
    /// @throws IllegalArgumentException naming the one that is no label, or the key that has two values
    public static ClusterLabels parse(Collection<String> texts) {
        var values = new TreeMap<String, String>();
        for (var text : texts) {
            if (!isLabel(text)) {
                throw new IllegalArgumentException("'" + text + "' is no label");
            }
            var equals = text.indexOf('=');
            var before = values.put(text.substring(0, equals), text.substring(equals + 1));
            if (before != null && !before.equals(text.substring(equals + 1))) {
                throw new IllegalArgumentException("label '" + text.substring(0, equals) + "' has two values");
            }
        }
        return new ClusterLabels(values);
    }

    /// Whether that is a key and a value, like `env=prod`.
    public static boolean isLabel(String text) {
        return LABEL.matcher(text).matches();
    }

    /// As [#parse] takes them, in order.
    public List<String> texts() {
        return new TreeMap<>(values)
                .entrySet().stream()
                        .map(label -> label.getKey() + "=" + label.getValue())
                        .toList();
    }
}
