// SPDX-License-Identifier: Apache-2.0
/// What a client of the Workload API sees, and how two such views are compared.
///
/// Entry: [io.fathom.verify.client.DeltaClient]. Shares nothing with the server but the generated messages, so that a
/// mistake in a codec cannot hide itself.
@NullMarked
package io.fathom.verify.client;

import org.jspecify.annotations.NullMarked;
