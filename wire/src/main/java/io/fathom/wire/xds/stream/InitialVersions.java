// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.XdsResource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What a client that reconnects says it still holds: names and versions, in two arrays because there may be a million.
/// A version that is not one of ours counts as different.
public final class InitialVersions {
    public static final InitialVersions NONE = new InitialVersions();
    private static final long FOREIGN = 0;

    private final List<String> names = new ArrayList<>();
    private long[] versions = new long[16];

    public void add(String name, String version) {
        if (names.size() == versions.length) {
            versions = Arrays.copyOf(versions, versions.length * 2);
        }
        versions[names.size()] = parse(version);
        names.add(name);
    }

    public int size() {
        return names.size();
    }

    boolean isEmpty() {
        return names.isEmpty();
    }

    List<String> names() {
        return names;
    }

    boolean isCurrent(int index, XdsResource resource) {
        return versions[index] != FOREIGN && versions[index] == resource.versionBits();
    }

    public Map<String, Long> byName() {
        var map = HashMap.<String, Long>newHashMap(names.size());
        for (int i = 0; i < names.size(); i++) {
            map.put(names.get(i), versions[i]);
        }
        return map;
    }

    private static long parse(String version) {
        if (version.isEmpty() || version.length() > 16 || version.charAt(0) == '0') {
            return FOREIGN;
        }
        var bits = 0L;
        for (int i = 0; i < version.length(); i++) {
            var character = version.charAt(i);
            int digit;
            if (character >= '0' && character <= '9') {
                digit = character - '0';
            } else if (character >= 'a' && character <= 'f') {
                digit = character - 'a' + 10;
            } else {
                return FOREIGN;
            }
            bits = bits << 4 | digit;
        }
        return bits;
    }
}
