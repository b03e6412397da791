// SPDX-License-Identifier: Apache-2.0
/// The control plane as a program: reads flags and the environment, wires the parts, starts and stops them.
///
/// Entry: [io.fathom.app.fathomd.FathomdMain] from the shell, [io.fathom.app.fathomd.Fathomd] from tests.
@NullMarked
package io.fathom.app.fathomd;

import org.jspecify.annotations.NullMarked;
