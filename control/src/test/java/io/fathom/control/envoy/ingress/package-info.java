@NullMarked
package io.fathom.control.envoy.ingress;

import org.jspecify.annotations.NullMarked;
