// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.control.gateway.Certificates;
import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;

/// Certificates whose names say what they are: `good`, `secret` or `wrong`. There are no others.
final class NamedCertificates implements Certificates {
    @Override
    public CertificateVerdict judge(Referrer from, CertificateRef reference) {
        return switch (reference.name()) {
            case "good" -> new CertificateVerdict.Good();
            case "secret" -> new CertificateVerdict.Forbidden("no grant");
            case "late" -> new CertificateVerdict.Unknown("not read yet");
            case "wrong" -> new CertificateVerdict.WrongKind("wrong kind");
            case "granted-to-sets" ->
                from.kind().equals("ListenerSet")
                        ? new CertificateVerdict.Good()
                        : new CertificateVerdict.Forbidden("no grant");
            default -> new CertificateVerdict.Invalid("not there");
        };
    }

    @Override
    public CertificateVerdict judgeBeside(Referrer from, CertificateRef reference) {
        return judge(from, reference);
    }

    @Override
    public CertificateVerdict judgeAuthority(Referrer from, CertificateRef reference) {
        return judge(from, reference);
    }
}
