// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

/// The transport of a Service, container or slice port.
public enum Transport {
    TCP,
    UDP,
    SCTP
}
