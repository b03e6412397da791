// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Where an authority is kept with its key: a file, a folder, or a Secret that several control planes share. Failures
/// are [io.fathom.base.lang.ProblemException]s.
public interface RootStore {
    Optional<Content> read();

    /// Stores `content` unless somebody else has changed what is stored since it was read.
    ///
    /// @param expected what was read; empty if nothing was there
    /// @return whether it was stored
    boolean replace(Optional<Content> expected, Content content);

    /// The entries of the Secret, with keys in clear text: never printed.
    record Content(Map<String, String> entries) {
        public Content {
            entries = Map.copyOf(entries);
        }

        String entry(String name) {
            return entries.getOrDefault(name, "");
        }

        @Override
        public String toString() {
            return "Content" + new TreeMap<>(entries).keySet();
        }
    }
}
