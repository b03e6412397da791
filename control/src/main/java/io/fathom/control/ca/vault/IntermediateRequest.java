// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.wire.pki.RequestWriter;
import java.security.KeyPair;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A fresh key and the request to certify it as an intermediate. The key is made here and stays in this process.
record IntermediateRequest(KeyPair keys, Map<String, Object> body) {
    static IntermediateRequest of(IntermediateProfile profile) {
        var keys = profile.keyAlgorithm().generate();
        return new IntermediateRequest(keys, body(profile, RequestWriter.write(keys, List.of())));
    }

    /// The names come from the parameters, not from the CSR, of which Vault takes the key alone.
    private static Map<String, Object> body(IntermediateProfile profile, String csr) {
        var body = new LinkedHashMap<String, Object>();
        body.put("csr", csr);
        body.put("format", "pem");
        body.put("use_csr_values", false);
        body.put("common_name", profile.commonName());
        body.put("organization", profile.organization());
        body.put("exclude_cn_from_sans", true);
        body.put("uri_sans", profile.uriSans());
        body.put("ttl", profile.ttl().toSeconds() + "s");
        body.put("max_path_length", profile.maxPathLength());
        if (!profile.permittedUriDomains().isEmpty()) {
            body.put("permitted_uri_domains", profile.permittedUriDomains());
        }
        return body;
    }

    @Override
    public String toString() {
        return "IntermediateRequest[***]";
    }
}
