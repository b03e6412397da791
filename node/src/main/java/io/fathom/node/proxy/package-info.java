// SPDX-License-Identifier: Apache-2.0
/// What both directions of the node proxy share: who the pod is, what is open, what headers say, how sockets are
/// accepted and dialled. [io.fathom.node.proxy.ConnectionLedger] knows every open connection of a pod. The directions
/// themselves are in `outbound` and `inbound`, one pod's set of listeners in `pod`.
@NullMarked
package io.fathom.node.proxy;

import org.jspecify.annotations.NullMarked;
