// SPDX-License-Identifier: Apache-2.0
/// Command lines: flags, operands and help. Small on purpose: it is on the way of every start, and the library one
/// would take instead is compiled for a Java so old that the JVM's AOT cache cannot hold it.
///
/// Entry: [io.fathom.tools.args.Arguments]. Pure.
@NullMarked
package io.fathom.tools.args;

import org.jspecify.annotations.NullMarked;
