// SPDX-License-Identifier: Apache-2.0
/// Gateways on a real API server: what they become, and what their status says.
@NullMarked
package io.fathom.verify.gateways;

import org.jspecify.annotations.NullMarked;
