// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/// Where two JSON values differ, as lines for people. The order of an object's fields does not count.
public final class JsonDiff {
    private JsonDiff() {}

    public static List<String> between(JsonNode expected, JsonNode actual) {
        var lines = new ArrayList<String>();
        compare("", expected, actual, lines);
        return lines;
    }

    private static void compare(String path, JsonNode expected, JsonNode actual, List<String> lines) {
        if (expected.equals(actual)) {
            return;
        }
        if (expected.isObject() && actual.isObject()) {
            var names = new TreeSet<String>();
            expected.fieldNames().forEachRemaining(names::add);
            actual.fieldNames().forEachRemaining(names::add);
            names.forEach(name -> compare(path + "/" + name, expected.path(name), actual.path(name), lines));
        } else if (expected.isArray() && actual.isArray() && expected.size() == actual.size()) {
            for (var i = 0; i < expected.size(); i++) {
                compare(path + "/" + i, expected.path(i), actual.path(i), lines);
            }
        } else {
            lines.add("at %s expected %s but was %s".formatted(path, text(expected), text(actual)));
        }
    }

    private static String text(JsonNode node) {
        return node.isMissingNode() ? "nothing" : node.toString();
    }
}
