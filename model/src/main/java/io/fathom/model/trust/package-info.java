// SPDX-License-Identifier: Apache-2.0
/// Whose certificates may vouch for identities of which trust domain.
///
/// Entry: [io.fathom.model.trust.TrustMerge]. Pure. Knows nothing of TLS, nor how bundles travel.
@NullMarked
package io.fathom.model.trust;

import org.jspecify.annotations.NullMarked;
