// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.util.Optional;

/// An object as one file has it.
///
/// @param line where it begins
/// @param kept what it was read from, as JSON, if that shall outlive a restart
record FileObject(String file, ManifestId id, Manifest manifest, int line, Claim claim, Optional<String> kept) {
    /// How sure it is that the file has this object.
    enum Claim {
        /// Read from what the file says now.
        FRESH,
        /// The file has the object, but with a mistake: this is its last good state.
        LAST_GOOD,
        /// The file has something that cannot be made out; this may be it.
        PERHAPS
    }

    /// What is wrong when another file, or the same one further up, has the object too.
    ManifestProblem duplicateOf(FileObject winner) {
        return new ManifestProblem(
                file,
                line,
                id.toString(),
                "metadata.name",
                Problem.ofInput(
                        "manifest-duplicate-object",
                        "names the same object as " + winner.file + ":" + winner.line + ", which wins",
                        "delete one of the two, or rename it"));
    }

    /// What is said of one that is not there any more, or not to be made out.
    ManifestProblem inForce() {
        return new ManifestProblem(
                        file,
                        line,
                        id.toString(),
                        "",
                        Problem.ofInput(
                                "policy-last-good",
                                "cannot be read any more: its last good version stays in force",
                                "mend the file, or delete the object"))
                .asWarning();
    }

    FileObject keptAs(Claim other) {
        return new FileObject(file, id, manifest, line, other, kept);
    }
}
