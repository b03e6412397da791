@NullMarked
package io.fathom.control.envoy.policy;

import org.jspecify.annotations.NullMarked;
