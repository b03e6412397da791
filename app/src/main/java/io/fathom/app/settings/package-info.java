// SPDX-License-Identifier: Apache-2.0
/// What the programs are told from outside: flags and environment variables, read once when they start.
@NullMarked
package io.fathom.app.settings;

import org.jspecify.annotations.NullMarked;
