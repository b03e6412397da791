/// Authorization policies as the node proxy enforces them. Pure values; no I/O, no protobuf, no clock.
@NullMarked
package io.fathom.model.policy;

import org.jspecify.annotations.NullMarked;
