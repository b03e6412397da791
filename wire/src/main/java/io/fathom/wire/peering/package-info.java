// SPDX-License-Identifier: Apache-2.0
/// How control planes of one mesh talk to each other: delta xDS with mutual TLS, summaries as resources.
///
/// Entry: [io.fathom.wire.peering.PeerClient]. Each client has a thread of its own. Must not know what becomes of what
/// peers say.
@NullMarked
package io.fathom.wire.peering;

import org.jspecify.annotations.NullMarked;
