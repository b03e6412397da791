// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.manifest.ObjectKey;

/// Says whether Gateways and their listeners may use certificates, and can.
public interface Certificates {
    /// A key and its certificate.
    CertificateVerdict judge(Referrer from, CertificateRef reference);

    /// Certificates of those who vouch for clients.
    CertificateVerdict judgeAuthority(Referrer from, CertificateRef reference);

    /// Certificates of those who vouch for clients, beside a key: in the same Secret, or in one named alike.
    CertificateVerdict judgeBeside(Referrer from, CertificateRef reference);

    /// Who refers: an object of kind Gateway or ListenerSet.
    record Referrer(String kind, ObjectKey key) {}

    /// Good, or why not.
    sealed interface CertificateVerdict {
        record Good() implements CertificateVerdict {}

        /// Nobody knows yet: it has not been read.
        record Unknown(String why) implements CertificateVerdict {}

        /// It is not there, or is no certificate.
        record Invalid(String why) implements CertificateVerdict {}

        /// Objects of that kind hold no certificates.
        record WrongKind(String why) implements CertificateVerdict {}

        /// It is in a namespace that did not permit this.
        record Forbidden(String why) implements CertificateVerdict {}
    }
}
