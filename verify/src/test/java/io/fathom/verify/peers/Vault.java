// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// HashiCorp's Vault on the loopback interface, unsealed and with its data in memory; set up with its own command-line
/// tool, as an operator does.
public final class Vault implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String ROOT_TOKEN = "verify";

    private final Workspace workspace = new Workspace();
    private final URI address = URI.create("http://127.0.0.1:" + Workspace.freePort());

    private Vault(String program) {
        try {
            var command = List.of(
                    program,
                    "server",
                    "-dev",
                    "-dev-no-store-token",
                    "-dev-root-token-id=" + ROOT_TOKEN,
                    "-dev-listen-address=" + address.getAuthority());
            var process = workspace.start("vault", command, Map.of());
            workspace.await(
                    "vault", process, PATIENCE, () -> run("vault status").code() == 0);
        } catch (RuntimeException | Error e) {
            workspace.close();
            throw e;
        }
    }

    /// Starts and waits until it answers; skips the test when the program is not there.
    public static Vault start() {
        return new Vault(StockProgram.VAULT.require().toString());
    }

    public URI address() {
        return address;
    }

    /// What a script of the administrator's prints, in which `vault` is the tool; any failure is an error.
    public String tell(String script) {
        var ran = run(script);
        if (ran.code() != 0) {
            throw new IllegalStateException(script + "\n" + ran.text());
        }
        return ran.text().strip();
    }

    private record Ran(int code, String text) {}

    private Ran run(String script) {
        var builder = new ProcessBuilder("bash", "-euc", script)
                .directory(workspace.directory().toFile())
                .redirectErrorStream(true);
        var environment = builder.environment();
        environment.merge("PATH", "", (path, _) -> StockProgram.VAULT.require().getParent() + ":" + path);
        environment.put("VAULT_ADDR", address.toString());
        environment.put("VAULT_TOKEN", ROOT_TOKEN);
        try {
            var process = builder.start();
            process.getOutputStream().close();
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ran(process.waitFor(), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        workspace.close();
    }
}
