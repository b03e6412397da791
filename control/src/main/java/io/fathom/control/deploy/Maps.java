// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import java.util.LinkedHashMap;
import java.util.Map;

/// Short ways to write objects.
final class Maps {
    private Maps() {}

    /// Names and values by turns, kept in that order.
    static Map<String, Object> map(Object... namesAndValues) {
        var map = new LinkedHashMap<String, Object>();
        for (var i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }
}
