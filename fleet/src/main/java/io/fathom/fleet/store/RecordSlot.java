// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.store;

import io.fathom.wire.kube.api.KubeClient;
import java.nio.file.Path;
import java.util.Optional;

/// A place for one [FileRecord], with one writer.
public interface RecordSlot {
    /// Nothing when nothing was written yet.
    ///
    /// @throws io.fathom.base.lang.ProblemException when it is damaged or cannot be read
    Optional<FileRecord> read();

    /// Replaces the record.
    ///
    /// @throws io.fathom.base.lang.ProblemException when it cannot be written: nothing has changed then
    void write(FileRecord content);

    /// Slots by name.
    interface Slots {
        RecordSlot slot(String name);

        /// Files of a folder, which is made where there is none.
        static Slots inFolder(Path folder) {
            RecordFile.createFolder(folder);
            return name -> new RecordFile(folder.resolve(name));
        }

        /// Nothing outlives the program.
        static Slots nowhere() {
            return _ -> new RecordSlot() {
                @Override
                public Optional<FileRecord> read() {
                    return Optional.empty();
                }

                @Override
                public void write(FileRecord content) {}
            };
        }

        /// Entries of a Secret.
        static Slots inSecret(KubeClient client, String namespace, String name) {
            return entry -> new RecordSecret(client, namespace, name, entry);
        }
    }
}
