// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TlsIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;

/// Writes the field `certificates` of upstream's `config_dump`. Never a key.
public final class CertificateDump {
    private final JsonGenerator out;

    public CertificateDump(JsonGenerator out) {
        this.out = out;
    }

    public void write(List<CertificateState> states) throws IOException {
        out.writeArrayFieldStart("certificates");
        for (var state : states) {
            out.writeStartObject();
            out.writeStringField("identity", state.identity().uri());
            out.writeStringField("state", state.text());
            certificates(
                    "certChain", state.certificate().map(TlsIdentity::chain).orElse(List.of()));
            certificates(
                    "rootCerts", state.certificate().map(TlsIdentity::roots).orElse(List.of()));
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private void certificates(String field, List<X509Certificate> certificates) throws IOException {
        out.writeArrayFieldStart(field);
        for (var certificate : certificates) {
            out.writeStartObject();
            var pem = Pem.encode(certificate).getBytes(StandardCharsets.US_ASCII);
            out.writeStringField("pem", Base64.getEncoder().encodeToString(pem));
            out.writeStringField("serialNumber", certificate.getSerialNumber().toString());
            out.writeStringField(
                    "validFrom", certificate.getNotBefore().toInstant().toString());
            out.writeStringField(
                    "expirationTime", certificate.getNotAfter().toInstant().toString());
            out.writeEndObject();
        }
        out.writeEndArray();
    }
}
