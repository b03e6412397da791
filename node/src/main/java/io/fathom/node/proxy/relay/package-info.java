// SPDX-License-Identifier: Apache-2.0
/// Copies bytes both ways between two legs on one event loop. [io.fathom.node.proxy.relay.Relay] is one connection.
/// Buffers are handed over, never copied; a side that does not take more stops the other from reading. Knows nothing
/// of routing, policy or telemetry.
@NullMarked
package io.fathom.node.proxy.relay;

import org.jspecify.annotations.NullMarked;
