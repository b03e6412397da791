// SPDX-License-Identifier: Apache-2.0
/// Which network something is in, and the gateways that lead into networks.
///
/// Entry: [io.fathom.control.ambient.network.NetworkGateways]. Runs on the flow's writer. Knows nothing about
/// workloads.
@NullMarked
package io.fathom.control.ambient.network;

import org.jspecify.annotations.NullMarked;
