// SPDX-License-Identifier: Apache-2.0
/// The program behind `bin/up`: a mesh on one machine.
@NullMarked
package io.fathom.app.up;

import org.jspecify.annotations.NullMarked;
