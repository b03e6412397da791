// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.fathom.wire.xds;

import org.jspecify.annotations.NullMarked;
