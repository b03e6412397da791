/// HTTP/2 and gRPC against other implementations.
@NullMarked
package io.fathom.wire.http2;

import org.jspecify.annotations.NullMarked;
