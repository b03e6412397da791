// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

/// What is spoken on a port, in the order of the wire's numbers.
public enum AppProtocol {
    UNKNOWN,
    HTTP11,
    HTTP2,
    GRPC,
    TCP,
    TLS
}
