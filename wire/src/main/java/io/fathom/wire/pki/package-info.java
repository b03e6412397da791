// SPDX-License-Identifier: Apache-2.0
/// SPIFFE identities in X.509: signing requests, issuing, chains, verification, PEM. Entry classes: `Issuer` and
/// `SigningRequest`. Nothing here keeps state or starts threads; time is always an argument. Must not know who may ask
/// for what: that is `control/ca`.
@NullMarked
package io.fathom.wire.pki;

import org.jspecify.annotations.NullMarked;
