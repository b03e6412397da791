// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import java.util.Set;
import java.util.TreeSet;

/// What happened in the folder since the last question.
final class Signals {
    private final Set<String> files = new TreeSet<>();
    private boolean structure;

    void file(String file) {
        files.add(file);
    }

    /// Folders came or went, or notifications were lost.
    void structure() {
        structure = true;
    }

    Set<String> files() {
        return files;
    }

    boolean needRescan() {
        return structure;
    }
}
