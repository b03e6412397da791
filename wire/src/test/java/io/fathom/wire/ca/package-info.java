/// Ordering certificates.
@NullMarked
package io.fathom.wire.ca;

import org.jspecify.annotations.NullMarked;
