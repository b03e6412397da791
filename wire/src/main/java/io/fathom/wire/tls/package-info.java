// SPDX-License-Identifier: Apache-2.0
/// TLS whose certificates and roots change while it runs. Entry classes: `ReloadingServerTls` for gRPC servers,
/// `ReloadingJdkTls` for servers of the JDK, `MeshTls` for HBONE between workloads.
@NullMarked
package io.fathom.wire.tls;

import org.jspecify.annotations.NullMarked;
