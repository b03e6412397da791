/// xDS streams: resources shared by all clients, the state of one stream, and the gRPC server around them.
@NullMarked
package io.fathom.wire.xds;

import org.jspecify.annotations.NullMarked;
