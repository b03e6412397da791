// SPDX-License-Identifier: Apache-2.0
/// The certificate service protocol, both sides: `CertificateService`, and as clients `CertificateConnection` (on
/// Netty) and `CertificateCall` (on the JDK alone). The only place that knows its messages. `CaClient` makes key and
/// order and checks the answer; `RenewedCertificate` keeps one identity's certificate fresh. Serving decides nothing: a
/// `CertificateHandler` does.
@NullMarked
package io.fathom.wire.ca;

import org.jspecify.annotations.NullMarked;
