@NullMarked
package io.fathom.control.envoy.sds;

import org.jspecify.annotations.NullMarked;
