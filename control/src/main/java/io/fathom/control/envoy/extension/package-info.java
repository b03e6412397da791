// SPDX-License-Identifier: Apache-2.0
/// What users bring into proxies: modules and scripts ([io.fathom.control.envoy.extension.Extensions]) and changes to
/// what proxies are told ([io.fathom.control.envoy.extension.EnvoyFilters]). Both are pure, on any thread. Modules are
/// fetched once, by [io.fathom.control.envoy.extension.ModuleLibrary], which knows no proxy.
@NullMarked
package io.fathom.control.envoy.extension;

import org.jspecify.annotations.NullMarked;
