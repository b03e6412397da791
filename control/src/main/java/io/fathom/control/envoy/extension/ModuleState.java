// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.ByteString;
import io.fathom.base.lang.Problem;

/// What is known of a module.
public sealed interface ModuleState {
    /// Nobody has it yet, nor failed to get it.
    record Pending() implements ModuleState {}

    /// The control plane has it.
    ///
    /// @param code the module itself
    record Ready(ByteString code) implements ModuleState {}

    record Failed(Problem problem) implements ModuleState {}
}
