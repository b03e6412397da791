// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.audit;

import io.fathom.node.cni.enrol.Step;
import java.util.Locale;
import java.util.Optional;

/// One way in which a pod is not as it should be.
///
/// @param kind what metrics call it
/// @param redo the last step that still holds, if the later ones have to be done again
public record Finding(CaptureFault kind, String what, Optional<Step> redo) {
    /// What is wrong, in the order in which it is repaired.
    public enum CaptureFault {
        NAMESPACE,
        RULES,
        PROXY,
        LISTENERS,
        /// Its DNS is captured, but the node proxies answer none: a matter of their settings.
        DNS,
        ANNOTATION,
        /// It is not wanted in the mesh, but something of it is left.
        LEFTOVER;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
