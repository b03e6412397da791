// SPDX-License-Identifier: Apache-2.0
/// From a node to its control plane: whom to dial, what to trust, who we are (`ServerConfig`), and the gRPC
/// stream (`GrpcStream`) or single call (`GrpcCall`) made of it. Files are read anew for each connection.
/// Knows nothing of what is spoken over it.
@NullMarked
package io.fathom.wire.dial;

import org.jspecify.annotations.NullMarked;
