// SPDX-License-Identifier: Apache-2.0
/// What comes in for a pod of this node: HBONE on 15008 and captured plain text on 15006, decided by
/// [io.fathom.model.routing.InboundRouter], and handed to the application, or to its waypoint first. Entry class:
/// [io.fathom.node.proxy.inbound.Inbound], one for each pod.
@NullMarked
package io.fathom.node.proxy.inbound;

import org.jspecify.annotations.NullMarked;
