/// The Workload API on the wire: model values to and from protobuf. Pure.
@NullMarked
package io.fathom.wire.workload;

import org.jspecify.annotations.NullMarked;
