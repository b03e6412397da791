// SPDX-License-Identifier: Apache-2.0
/// From a node to its control plane.
@NullMarked
package io.fathom.wire.dial;

import org.jspecify.annotations.NullMarked;
