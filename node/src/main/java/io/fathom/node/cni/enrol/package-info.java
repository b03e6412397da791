// SPDX-License-Identifier: Apache-2.0
/// Brings pods into the mesh and lets them go: decides from what is wanted and what is held, then acts.
///
/// Entry: [io.fathom.node.cni.enrol.EnrolEngine]; the decision is [io.fathom.node.cni.enrol.EnrolDecision], pure. Knows
/// no sockets and no API server: rules, proxies, namespaces and annotations are behind interfaces.
@NullMarked
package io.fathom.node.cni.enrol;

import org.jspecify.annotations.NullMarked;
