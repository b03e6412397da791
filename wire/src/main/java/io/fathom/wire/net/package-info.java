// SPDX-License-Identifier: Apache-2.0
/// Between our addresses and those that sockets speak.
@NullMarked
package io.fathom.wire.net;

import org.jspecify.annotations.NullMarked;
