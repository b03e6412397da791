// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.manifest.ObjectKey;

/// Says whether Gateways and their listeners may use certificates, and can.
public interface Certificates {
    /// A key and its certificate.
    Verdict judge(Referrer from, CertificateRef reference);

    /// Certificates of those who vouch for clients.
    Verdict judgeAuthority(Referrer from, CertificateRef reference);

    /// Certificates of those who vouch for clients, beside a key: in the same Secret, or in one named alike.
    Verdict judgeBeside(Referrer from, CertificateRef reference);

    /// Who refers: an object of kind Gateway or ListenerSet.
    record Referrer(String kind, ObjectKey key) {}

    /// Good, or why not.
    sealed interface Verdict {
        record Good() implements Verdict {}

        /// Nobody knows yet: it has not been read.
        record Unknown(String why) implements Verdict {}

        /// It is not there, or is no certificate.
        record Invalid(String why) implements Verdict {}

        /// Objects of that kind hold no certificates.
        record WrongKind(String why) implements Verdict {}

        /// It is in a namespace that did not permit this.
        record Forbidden(String why) implements Verdict {}
    }
}
