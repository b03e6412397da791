// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.model.mesh.Workload;

/// A workload that stands for endpoints on another network.
///
/// @param way the gateway that it is behind
public record FoldedWorkload(Workload workload, NetworkGateway way) {}
