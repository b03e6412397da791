// SPDX-License-Identifier: Apache-2.0
/// HTTP/2 and gRPC against other implementations.
@NullMarked
package io.fathom.wire.http2;

import org.jspecify.annotations.NullMarked;
