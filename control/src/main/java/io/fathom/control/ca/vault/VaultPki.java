// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.SigningMaterial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Asks Vault's PKI engine for an intermediate. Blocks its caller; one thread at a time.
final class VaultPki {
    private final VaultServer server;
    private final IntermediateProfile profile;
    private final VaultClient client;
    private final VaultSession session;

    VaultPki(VaultServer server, IntermediateProfile profile, VaultClient client, VaultSession session) {
        this.server = server;
        this.profile = profile;
        this.client = client;
        this.session = session;
    }

    /// A new key with a certificate that can be used now.
    ///
    /// @throws ProblemException if Vault does not give one
    SigningMaterial intermediate(Instant now) {
        var pinned = profile.rootsFile().map(VaultPki::roots).orElse(List.of());
        var request = IntermediateRequest.of(profile);
        var answer = signed(request, now);
        var certificate = answer.data("certificate")
                .orElseThrow(() -> new ProblemException(
                        VaultProblems.badAnswer(server, profile.signPath(), "holds no certificate")));
        var others = new ArrayList<String>();
        answer.data("issuing_ca").ifPresent(others::add);
        others.addAll(answer.dataList("ca_chain"));
        return IntermediateChain.assemble(
                request.keys(),
                certificates(certificate).getFirst(),
                others.stream().flatMap(pem -> certificates(pem).stream()).toList(),
                pinned,
                now);
    }

    private VaultAnswer signed(IntermediateRequest request, Instant now) {
        var path = profile.signPath();
        var token = session.token(now);
        var answer = client.post(path, token, request.body());
        if (answer.status() == 403 && answer.mentions("invalid token")) {
            session.forget(); // revoked before its time, or Vault was set up anew
            answer = client.post(path, session.token(now), request.body());
        }
        if (!answer.ok()) {
            throw new ProblemException(VaultProblems.signing(server, profile, answer));
        }
        return answer;
    }

    private List<X509Certificate> certificates(String pem) {
        try {
            return Pem.certificates(pem);
        } catch (ProblemException e) {
            throw new ProblemException(
                    VaultProblems.badAnswer(server, profile.signPath(), "holds something that is no certificate"));
        }
    }

    private static List<X509Certificate> roots(Path file) {
        try {
            return Pem.certificates(Files.readString(file));
        } catch (ProblemException | IOException e) {
            throw new ProblemException(Problem.ofInput(
                    "vault-roots-file",
                    "the file of roots " + file + " cannot be used",
                    "write one or more PEM certificates of roots there"));
        }
    }
}
