/// The certificate service protocol, both sides: `CertificateService` and `CertificateClient`. The only place that
/// knows its protobuf messages. Decides nothing: a `CertificateHandler` does.
@NullMarked
package io.fathom.wire.ca;

import org.jspecify.annotations.NullMarked;
