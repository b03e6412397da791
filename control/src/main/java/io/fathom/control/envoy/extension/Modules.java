// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

/// What is known of modules.
@FunctionalInterface
public interface Modules {
    ModuleState find(ModuleSource source);
}
