// SPDX-License-Identifier: Apache-2.0
/// The node agent as a program: settings, wiring, `main`, and its sockets and pages.
///
/// Entry: [io.fathom.app.cni.CniMain].
@NullMarked
package io.fathom.app.cni;

import org.jspecify.annotations.NullMarked;
