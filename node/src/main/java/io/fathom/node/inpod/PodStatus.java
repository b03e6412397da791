// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.inpod;

import io.fathom.base.lang.Problem;
import io.fathom.wire.zds.PodInfo;

/// How one pod is doing.
public sealed interface PodStatus {
    PodInfo pod();

    /// It is served.
    record Up(PodInfo pod, PodProxy proxy) implements PodStatus {}

    /// Its proxy could not start yet.
    record Pending(PodInfo pod, Problem problem) implements PodStatus {}
}
