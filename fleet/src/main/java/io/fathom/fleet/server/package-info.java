// SPDX-License-Identifier: Apache-2.0
/// The management server of a fleet: [io.fathom.fleet.server.ManagementServer]. [io.fathom.fleet.server.Fleet] is its
/// state, with one writer at a time; [io.fathom.fleet.server.FactCheck] decides what counts. Calls block on virtual
/// threads. Knows nothing of Kubernetes.
@NullMarked
package io.fathom.fleet.server;

import org.jspecify.annotations.NullMarked;
