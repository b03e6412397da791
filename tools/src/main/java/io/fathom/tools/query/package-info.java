// SPDX-License-Identifier: Apache-2.0
/// What commands have in common that ask control planes: how to ask, and how to print tables.
///
/// Entry: [io.fathom.tools.query.FathomdClient]. Blocks the caller. Knows no command.
@NullMarked
package io.fathom.tools.query;

import org.jspecify.annotations.NullMarked;
