// SPDX-License-Identifier: Apache-2.0
/// Signed tokens: reading and verifying them (`JwtVerifier`), the keys of their issuers (`IssuerKeys`), and an issuer
/// for a mesh without Kubernetes (`LocalIssuer`). Knows nothing of certificates. Tokens are never logged.
@NullMarked
package io.fathom.control.ca.jwt;

import org.jspecify.annotations.NullMarked;
