// SPDX-License-Identifier: Apache-2.0
/// The command line tool as a program.
@NullMarked
package io.fathom.app.fathomctl;

import org.jspecify.annotations.NullMarked;
