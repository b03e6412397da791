// SPDX-License-Identifier: Apache-2.0
/// Where connections go. [io.fathom.model.routing.MeshStore] turns updates into immutable
/// [io.fathom.model.routing.MeshView]s; [io.fathom.model.routing.OutboundRouter] and
/// [io.fathom.model.routing.InboundRouter] decide on one of them. Pure: no I/O, no clock, and randomness is handed in.
@NullMarked
package io.fathom.model.routing;

import org.jspecify.annotations.NullMarked;
