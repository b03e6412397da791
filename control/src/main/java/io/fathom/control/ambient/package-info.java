// SPDX-License-Identifier: Apache-2.0
/// Manifests in, the Workload API out: pure functions per object, wired into one incremental flow.
///
/// Entry: [io.fathom.control.ambient.AmbientMesh] takes manifests and publishes what follows from them,
/// [io.fathom.control.ambient.MeshFlow] lets others derive from the same tables. Every derivation runs on the flow's
/// writer. Knows nothing about protobuf, streams or where manifests come from. The parts: `input`, `network`, `vip`,
/// `waypoint`, `service`, `policy`, `workload`, `status`.
@NullMarked
package io.fathom.control.ambient;

import org.jspecify.annotations.NullMarked;
