// SPDX-License-Identifier: Apache-2.0
/// The rules of the house, checked on the compiled classes: layers, what may be used where, and what never.
@NullMarked
package io.fathom.verify.architecture;

import org.jspecify.annotations.NullMarked;
