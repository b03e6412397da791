// SPDX-License-Identifier: Apache-2.0
/// What the programs share: which build this is.
@NullMarked
package io.fathom.app;

import org.jspecify.annotations.NullMarked;
