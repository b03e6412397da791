// SPDX-License-Identifier: Apache-2.0
/// Small things every layer needs: problems, clocks, backoff. Knows nothing about meshes.
@NullMarked
package io.fathom.base.lang;

import org.jspecify.annotations.NullMarked;
