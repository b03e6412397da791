// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// `fathomd ca-helper` as a process of its own, on a real Vault that is set up as docs/ca-vault.md says.
public final class CaHelperProcess implements AutoCloseable {
    private static final Path GUIDE = Path.of("../docs/ca-vault.md");
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Workspace workspace;
    private final Process process;
    private final URI address;
    private final HttpClient http = HttpClient.newHttpClient();

    private CaHelperProcess(Workspace workspace, Process process, URI address) {
        this.workspace = workspace;
        this.process = process;
        this.address = address;
    }

    /// A fenced block without the language on its first line.
    private static String commands(String block) {
        return block.substring(block.indexOf('\n'));
    }

    /// Runs the documented commands: a PKI engine with a root, a policy, and a token, which it returns.
    public static String prepare(Vault vault) {
        try {
            var parts = Files.readString(GUIDE).split("```", -1);
            vault.tell(commands(parts[1]));
            vault.tell(commands(parts[3]));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return vault.tell("vault token create -policy=fathomd -period=24h -orphan -field=token");
    }

    /// Starts it; waits for nothing.
    public static CaHelperProcess start(
            Workspace workspace, Vault vault, String token, Map<String, String> settings, String... flags) {
        var port = Workspace.freePort();
        var command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                "io.fathom.app.fathomd.FathomdMain",
                "ca-helper",
                "--listen-address=127.0.0.1",
                "--http-port=" + port));
        command.addAll(List.of(flags));
        var environment = new HashMap<>(Map.of("VAULT_ADDR", vault.address().toString(), "VAULT_TOKEN", token));
        environment.putAll(settings);
        return new CaHelperProcess(
                workspace, workspace.start("ca-helper", command, environment), URI.create("http://127.0.0.1:" + port));
    }

    /// Waits until what it stores can be relied on.
    public CaHelperProcess awaitReady() {
        workspace.await("ca-helper", process, PATIENCE, () -> page("/ready").startsWith("200 "));
        return this;
    }

    /// Status and text of a page; empty if nobody answers.
    public String page(String path) {
        try {
            var answer = http.send(
                    HttpRequest.newBuilder(address.resolve(path)).build(), HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /// What it has logged lately.
    public String log() {
        return workspace.tail("ca-helper");
    }

    /// Ends it as a kubelet does, and tells its exit code.
    public int stop() {
        process.destroy();
        return process.onExit().join().exitValue();
    }

    @Override
    public void close() {
        Workspace.end(process.toHandle());
        http.close();
    }
}
