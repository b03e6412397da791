// SPDX-License-Identifier: Apache-2.0
/// The pages of the control plane: metrics, readiness, version and debug pages.
///
/// They read immutable snapshots: a page delays neither derivations nor streams.
@NullMarked
package io.fathom.app.fathomd.http;

import org.jspecify.annotations.NullMarked;
