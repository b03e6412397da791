// SPDX-License-Identifier: Apache-2.0
/// Workloads of the Workload API: from pods, entries, slices and gateways of other networks.
///
/// Entry: [io.fathom.control.ambient.workload.PodWorkloads]. Runs on the flow's writer. Knows nothing about statuses.
@NullMarked
package io.fathom.control.ambient.workload;

import org.jspecify.annotations.NullMarked;
