// SPDX-License-Identifier: Apache-2.0
/// Whose roots may vouch for identities of which trust domain: our own, those of MeshConfig, and those of other
/// clusters.
///
/// Entry: [io.fathom.control.ambient.trust.TrustTables]. Runs on the flow's writer. Knows nothing of TLS.
@NullMarked
package io.fathom.control.ambient.trust;

import org.jspecify.annotations.NullMarked;
