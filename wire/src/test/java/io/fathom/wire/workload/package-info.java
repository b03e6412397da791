@NullMarked
package io.fathom.wire.workload;

import org.jspecify.annotations.NullMarked;
