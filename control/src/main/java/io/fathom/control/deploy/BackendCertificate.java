package io.fathom.control.deploy;

import io.fathom.control.deploy.Certificates.Referrer;
import io.fathom.control.deploy.Certificates.Verdict;
import io.fathom.control.deploy.ListenerVerdict.Finding;
import java.util.Optional;

/// Looks whether a Gateway can show backends the certificate that it names. Pure.
final class BackendCertificate {
    private BackendCertificate() {}

    /// Empty when it can, or names none.
    static Optional<Finding> finding(GatewayObject gateway, Certificates certificates) {
        return gateway.tls().backend().flatMap(reference -> {
            var from = new Referrer("Gateway", gateway.namespace());
            return switch (certificates.judge(from, reference)) {
                case Verdict.Good() -> Optional.<Finding>empty();
                case Verdict.Invalid(String why) -> Optional.of(finding("InvalidClientCertificateRef", why));
                case Verdict.WrongKind(String why) -> Optional.of(finding("InvalidClientCertificateRef", why));
                case Verdict.Forbidden(String why) -> Optional.of(finding("RefNotPermitted", why));
            };
        });
    }

    private static Finding finding(String reason, String why) {
        return new Finding(reason, "tls.backend.clientCertificateRef: " + why);
    }
}
