// SPDX-License-Identifier: Apache-2.0
/// The companion, with a real control plane and a real Envoy.
@NullMarked
package io.fathom.app.proxy;

import org.jspecify.annotations.NullMarked;
