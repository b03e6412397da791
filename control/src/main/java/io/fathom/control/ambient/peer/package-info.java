// SPDX-License-Identifier: Apache-2.0
/// Other clusters as they describe themselves: what we tell them of our services, and what becomes of what they say.
///
/// Entry: [io.fathom.control.ambient.peer.Peers]. Runs on the flow's writer. Knows nothing about how summaries travel.
@NullMarked
package io.fathom.control.ambient.peer;

import org.jspecify.annotations.NullMarked;
