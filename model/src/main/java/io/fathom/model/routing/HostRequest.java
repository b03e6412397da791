// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Workload;

/// A connection that a pod of this node asked for by name, as SOCKS lets it.
///
/// @param source the pod it comes from
/// @param sourceIp the address it comes from; addresses of the same family are preferred
public record HostRequest(Workload source, Ip sourceIp, String hostname, int port) {}
