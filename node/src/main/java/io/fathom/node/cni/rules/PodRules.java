// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.nio.file.Path;
import java.util.List;

/// The rules inside pods. Everything may be repeated, and foreign rules stay as they are.
///
/// Namespaces are paths that can be opened from here, such as `/proc/12/fd/34`. Calls block for some 40 ms, and for
/// [RuleConfig#patience()] at most per tool; for any thread that is in the process's own network namespace. Two calls
/// for the same pod must not overlap. What goes wrong is thrown as
/// [ProblemException][io.fathom.base.lang.ProblemException] with the words of the tool.
public interface PodRules {
    /// What had to be done.
    enum Applied {
        /// All was as it should be.
        UNCHANGED,
        /// There were no rules of the mesh before.
        WRITTEN,
        /// There were others.
        REPLACED
    }

    Applied apply(Path namespace, CaptureSettings settings);

    /// Also for a pod that has none, and for one that is gone.
    void remove(Path namespace);

    /// How reality differs from what [#apply] would make; empty if not at all. Changes nothing.
    List<Difference> inspect(Path namespace, CaptureSettings settings);
}
