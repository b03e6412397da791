// SPDX-License-Identifier: Apache-2.0
/// The helper that keeps an intermediate of Vault's fresh for control planes, as a program: `fathomd ca-helper`.
///
/// Entry: [io.fathom.app.cahelper.CaHelperMain].
@NullMarked
package io.fathom.app.cahelper;

import org.jspecify.annotations.NullMarked;
