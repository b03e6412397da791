// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Which version of each resource is held, by name. A node holds the whole mesh, so an entry takes a dozen bytes
/// besides its name, which is the very string that the mesh keeps: versions are nearly always 64-bit hashes in
/// hexadecimal. For one thread.
final class VersionTable {
    private static final int SMALLEST = 16;

    private @Nullable String[] names = new @Nullable String[SMALLEST];
    private long[] hashes = new long[SMALLEST];
    private int size;

    /// Versions of any other shape.
    private final Map<String, String> odd = new HashMap<>();

    int size() {
        return size + odd.size();
    }

    boolean contains(String name) {
        return names[place(name)] != null || odd.containsKey(name);
    }

    Optional<String> version(String name) {
        var place = place(name);
        return names[place] == null ? Optional.ofNullable(odd.get(name)) : Optional.of(Long.toHexString(hashes[place]));
    }

    void put(String name, String version) {
        if (!isHash(version)) {
            removeHash(name);
            odd.put(name, version);
            return;
        }
        odd.remove(name);
        var place = place(name);
        if (names[place] == null) {
            if (4 * (size + 1) > 3 * names.length) {
                resize(names.length * 2);
                place = place(name);
            }
            names[place] = name;
            size++;
        }
        hashes[place] = Long.parseUnsignedLong(version, 16);
    }

    /// Whether it was there.
    boolean remove(String name) {
        return odd.remove(name) != null || removeHash(name);
    }

    void forEach(BiConsumer<String, String> action) {
        for (int i = 0; i < names.length; i++) {
            var name = names[i];
            if (name != null) {
                action.accept(name, Long.toHexString(hashes[i]));
            }
        }
        odd.forEach(action);
    }

    private boolean removeHash(String name) {
        var hole = place(name);
        if (names[hole] == null) {
            return false;
        }
        names[hole] = null;
        size--;
        // those behind it that would no longer be found move up
        for (int i = next(hole); ; i = next(i)) {
            var moved = names[i];
            if (moved == null) {
                return true;
            }
            names[i] = null;
            var place = place(moved);
            names[place] = moved;
            hashes[place] = hashes[i];
        }
    }

    /// Where the name is, or where it would be.
    private int place(String name) {
        var hash = name.hashCode() * 0x9E3779B9;
        var place = (hash ^ hash >>> 16) & (names.length - 1);
        while (true) {
            var there = names[place];
            if (there == null || there.equals(name)) {
                return place;
            }
            place = next(place);
        }
    }

    private int next(int place) {
        return (place + 1) & (names.length - 1);
    }

    private void resize(int places) {
        var oldNames = names;
        var oldHashes = hashes;
        names = new @Nullable String[places];
        hashes = new long[places];
        for (int i = 0; i < oldNames.length; i++) {
            var name = oldNames[i];
            if (name != null) {
                var place = place(name);
                names[place] = name;
                hashes[place] = oldHashes[i];
            }
        }
    }

    /// Whether the number it stands for is written in just this way.
    private static boolean isHash(String version) {
        if (version.isEmpty() || version.length() > 16 || (version.charAt(0) == '0' && version.length() > 1)) {
            return false;
        }
        return version.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }
}
