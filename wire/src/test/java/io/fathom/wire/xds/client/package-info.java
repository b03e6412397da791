// SPDX-License-Identifier: Apache-2.0
/// The node's side of xDS.
@NullMarked
package io.fathom.wire.xds.client;

import org.jspecify.annotations.NullMarked;
