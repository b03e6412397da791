// SPDX-License-Identifier: Apache-2.0
/// The certificate service protocol, both sides: `CertificateService`, and as clients `CertificateClient` (many
/// orders), `CertificateConnection` (now and then, on Netty) and `CertificateCall` (now and then, on the JDK alone).
/// The only place that knows its messages. `CaClient` makes key and order and checks the answer; `RenewedCertificate`
/// keeps one identity's certificate fresh. Serving decides nothing: a `CertificateHandler` does.
@NullMarked
package io.fathom.wire.ca;

import org.jspecify.annotations.NullMarked;
