// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.control.gateway.Certificates;
import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;

/// Certificates whose names say what they are: `good`, `secret` or `wrong`. There are no others.
final class NamedCertificates implements Certificates {
    @Override
    public Verdict judge(Referrer from, CertificateRef reference) {
        return switch (reference.name()) {
            case "good" -> new Verdict.Good();
            case "secret" -> new Verdict.Forbidden("no grant");
            case "late" -> new Verdict.Unknown("not read yet");
            case "wrong" -> new Verdict.WrongKind("wrong kind");
            case "granted-to-sets" ->
                from.kind().equals("ListenerSet") ? new Verdict.Good() : new Verdict.Forbidden("no grant");
            default -> new Verdict.Invalid("not there");
        };
    }

    @Override
    public Verdict judgeBeside(Referrer from, CertificateRef reference) {
        return judge(from, reference);
    }

    @Override
    public Verdict judgeAuthority(Referrer from, CertificateRef reference) {
        return judge(from, reference);
    }
}
