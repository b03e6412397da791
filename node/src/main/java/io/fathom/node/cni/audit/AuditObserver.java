// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.audit;

import java.util.Map;

/// Hears what the audit finds and does. Called by its thread.
public interface AuditObserver {
    /// All pods were looked at.
    ///
    /// @param states how many pods are in which state
    void looked(Map<PodCapture.CaptureState, Integer> states);

    /// Something was put right, or at least tried.
    ///
    /// @param what a finding's label, `probes` or `host`
    void repaired(String what);
}
