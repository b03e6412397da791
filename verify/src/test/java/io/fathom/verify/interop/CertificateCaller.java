// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// Asks a control plane for certificates with grpcurl, as a node proxy does. Its folder has the request (`csr.pem`),
/// what verifies the control plane (`root.pem`) and whatever openssl makes there.
final class CertificateCaller {
    private static final String METHOD = "istio.v1.auth.IstioCertificateService/CreateCertificate";

    private final Path folder;

    CertificateCaller(Path folder) throws IOException {
        this.folder = folder;
        try (var content = CertificateCaller.class.getResourceAsStream("/certificate.proto")) {
            Files.write(
                    folder.resolve("certificate.proto"),
                    Objects.requireNonNull(content).readAllBytes());
        }
    }

    /// The answer as JSON, or grpcurl's complaint.
    ///
    /// @param grpcurl the program, with `-insecure` if the control plane is not to be verified
    String ask(String grpcurl, int port, String token, String identity) throws IOException, InterruptedException {
        var request = new ObjectMapper().createObjectNode();
        request.put("csr", Files.readString(folder.resolve("csr.pem"))).put("validityDuration", 3600);
        request.putObject("metadata").put("ImpersonatedIdentity", identity);
        var command = new ArrayList<>(List.of(grpcurl.split(" ", -1)));
        if (!command.contains("-insecure")) {
            command.addAll(List.of("-cacert", "root.pem"));
        }
        command.addAll(List.of(
                "-authority",
                "istiod.istio-system.svc",
                "-import-path",
                ".",
                "-proto",
                "certificate.proto",
                "-H",
                "authorization: Bearer " + token,
                "-H",
                "clusterid: Kubernetes",
                "-d",
                request.toString(),
                "127.0.0.1:" + port,
                METHOD));
        return run(command);
    }

    String run(String command) throws IOException, InterruptedException {
        return run(List.of(command.split(" ", -1)));
    }

    String run(List<String> command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
