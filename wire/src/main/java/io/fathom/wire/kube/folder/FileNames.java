// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;

/// Which files count, and how a change of one shows without reading it.
final class FileNames {
    private FileNames() {}

    /// Dotfiles and what editors leave behind (`x.yaml~`, `.x.yaml.swp`) are none.
    static boolean isManifest(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        return !isHidden(name) && (lower.endsWith(".yaml") || lower.endsWith(".yml") || lower.endsWith(".json"));
    }

    static boolean isJson(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith(".json");
    }

    /// Also `..data` and its like, through which Kubernetes swaps the contents of a mounted ConfigMap.
    static boolean isHidden(String name) {
        return name.startsWith(".");
    }

    /// Differs whenever the file was written or replaced.
    static long stamp(BasicFileAttributes attributes) {
        var time = attributes.lastModifiedTime().toInstant();
        var key = attributes.fileKey();
        var stamp = time.getEpochSecond() * 1_000_000_000L + time.getNano();
        stamp = stamp * 31 + attributes.size();
        return stamp * 31 + (key == null ? 0 : key.hashCode());
    }
}
