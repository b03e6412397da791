// SPDX-License-Identifier: Apache-2.0
/// Clients and servers that are not ours, on the same wire: what they see and say must be what ours do.
///
/// Tests of this package are skipped, with the reason, where the stock program is missing.
@NullMarked
package io.fathom.verify.interop;

import org.jspecify.annotations.NullMarked;
