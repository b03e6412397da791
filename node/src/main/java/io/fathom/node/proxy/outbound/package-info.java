// SPDX-License-Identifier: Apache-2.0
/// What pods of this node open: taken on 15001 or by SOCKS5, decided by [io.fathom.model.routing.OutboundRouter], and
/// carried plainly or through tunnels. Entry class: [io.fathom.node.proxy.outbound.Outbound], one for each pod.
@NullMarked
package io.fathom.node.proxy.outbound;

import org.jspecify.annotations.NullMarked;
