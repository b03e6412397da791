// SPDX-License-Identifier: Apache-2.0
/// The command line tool: asks a running control plane and prints what it says.
///
/// Entry: [io.fathom.tools.cli.Fathomctl]. One thread; knows the debug pages, nothing of what is behind them.
@NullMarked
package io.fathom.tools.cli;

import org.jspecify.annotations.NullMarked;
