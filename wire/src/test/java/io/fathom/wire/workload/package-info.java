// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.fathom.wire.workload;

import org.jspecify.annotations.NullMarked;
