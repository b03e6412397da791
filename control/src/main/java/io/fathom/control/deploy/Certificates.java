package io.fathom.control.deploy;

import io.fathom.wire.kube.GatewayManifest.CertificateRef;

/// Says whether the listeners of Gateways may use certificates.
interface Certificates {
    Verdict judge(String gatewayNamespace, CertificateRef reference);

    /// Good, or why not.
    sealed interface Verdict {
        record Good() implements Verdict {}

        /// It is not there, or is no certificate.
        record Invalid(String why) implements Verdict {}

        /// It is in a namespace that did not permit this.
        record Forbidden(String why) implements Verdict {}
    }
}
