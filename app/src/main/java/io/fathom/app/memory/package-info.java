// SPDX-License-Identifier: Apache-2.0
/// How programs stay small.
@NullMarked
package io.fathom.app.memory;

import org.jspecify.annotations.NullMarked;
