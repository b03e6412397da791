// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeConfig.Certificate;
import io.fathom.wire.kube.api.KubeConfig.PemText;
import io.fathom.wire.kube.api.KubeConfig.Token;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Credentials that a program gives, as managed clusters have it. Asked once: they last for minutes to hours, which is
/// enough for a command line tool, not for a server. Blocks for at most a minute.
///
/// @param token none if it gave a certificate only
record ExecCredential(Token token, Optional<Certificate> certificate) {
    private static final long PATIENCE_SECONDS = 60;

    /// @param exec the entry of the kubeconfig
    /// @param folder that a relative path of the program counts from
    static ExecCredential ask(Field exec, Path folder) {
        var command = exec.at("command").requiredText();
        var line = new ArrayList<>(
                List.of(command.contains("/") ? folder.resolve(command).toString() : command));
        line.addAll(exec.at("args").texts());
        var builder = new ProcessBuilder(line)
                .redirectError(ProcessBuilder.Redirect.INHERIT) // it may have something to say to the user
                .redirectInput(new File("/dev/null"));
        exec.at("env")
                .items()
                .forEach(entry -> builder.environment()
                        .put(entry.at("name").requiredText(), entry.at("value").text()));
        builder.environment().put("KUBERNETES_EXEC_INFO", question(exec));
        return read(command, run(command, builder));
    }

    private static String question(Field exec) {
        return Json.compact(Json.of(Map.of(
                "apiVersion",
                exec.at("apiVersion").text("client.authentication.k8s.io/v1"),
                "kind",
                "ExecCredential",
                "spec",
                Map.of("interactive", false))));
    }

    private static String run(String command, ProcessBuilder builder) {
        try {
            var process = builder.start();
            var timer = process.onExit()
                    .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .exceptionally(_ -> process.destroyForcibly());
            var answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var code = timer.join().waitFor();
            if (code == 0) {
                return answer;
            }
            throw failed(command, "ended with " + code, "run it by hand and see what it wants");
        } catch (IOException e) {
            throw failed(
                    command, "could not be started: " + e.getMessage(), "install it, or use another way to log in");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(command, "was interrupted", "repeat it");
        }
    }

    private static ExecCredential read(String command, String answer) {
        try {
            var status =
                    Field.root(Json.parse("the answer of " + command, answer)).at("status");
            var token = status.at("token").text();
            var chain = status.at("clientCertificateData").text();
            if (token.isEmpty() && chain.isEmpty()) {
                throw failed(command, "gave neither a token nor a certificate", "log in again");
            }
            var key = status.at("clientKeyData").text();
            return new ExecCredential(
                    token.isEmpty() ? new Token.None() : new Token.Fixed(token),
                    chain.isEmpty()
                            ? Optional.empty()
                            : Optional.of(new Certificate(new PemText.Inline(chain), new PemText.Inline(key))));
        } catch (MisreadException e) { // without its words: they may quote a secret
            throw failed(command, "gave an answer that is no ExecCredential", "update it");
        }
    }

    private static ProblemException failed(String command, String what, String fix) {
        return Kubeconfig.problem("the program " + command + ", which should give credentials, " + what, fix);
    }
}
