@NullMarked
package io.fathom.wire.xds;

import org.jspecify.annotations.NullMarked;
