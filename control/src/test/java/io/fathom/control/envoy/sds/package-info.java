// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.fathom.control.envoy.sds;

import org.jspecify.annotations.NullMarked;
