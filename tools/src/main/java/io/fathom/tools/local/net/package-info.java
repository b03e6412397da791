// SPDX-License-Identifier: Apache-2.0
/// Links, addresses and forwarding of one machine that plays several nodes.
///
/// Entry: [io.fathom.tools.local.net.LocalNetwork]. Blocks; runs on the cluster's thread. Knows nothing about pods'
/// processes.
@NullMarked
package io.fathom.tools.local.net;

import org.jspecify.annotations.NullMarked;
