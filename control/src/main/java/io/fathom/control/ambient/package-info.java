// SPDX-License-Identifier: Apache-2.0
/// Manifests in, the Workload API out: pure functions per object, wired into one incremental flow.
/// Knows nothing about protobuf, streams or where manifests come from; every derivation runs on the flow's writer.
@NullMarked
package io.fathom.control.ambient;

import org.jspecify.annotations.NullMarked;
