/// Secrets against a real client.
@NullMarked
package io.fathom.wire.sds;

import org.jspecify.annotations.NullMarked;
