// SPDX-License-Identifier: Apache-2.0
/// The node proxy as a program: its settings, its wiring and its pages.
///
/// Entry: [io.fathom.app.ztunnel.ZtunnelMain].
@NullMarked
package io.fathom.app.ztunnel;

import org.jspecify.annotations.NullMarked;
