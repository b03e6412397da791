// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

/// A port of a service and where it leads. Target 0 means that each workload says for itself.
public record Port(int servicePort, int targetPort, AppProtocol appProtocol) {}
