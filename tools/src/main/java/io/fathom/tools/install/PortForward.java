// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.tools.query.FathomdClient;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A way to a port that a pod serves to loopback alone: `kubectl port-forward`, as long as it is open.
final class PortForward implements AutoCloseable {
    private static final Pattern FORWARDING = Pattern.compile("Forwarding from 127\\.0\\.0\\.1:(\\d+) ->.*");

    private final Process process;
    private final int port;

    private PortForward(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /// Returns when it can be used.
    ///
    /// @param path directories to look for kubectl in, as in the variable PATH
    /// @param cluster the flags that name the cluster
    /// @param target of the namespace, as `deployment/NAME`
    static PortForward open(String path, List<String> cluster, String namespace, String target, int port) {
        var line = new ArrayList<>(List.of(kubectl(path).toString()));
        line.addAll(cluster);
        line.addAll(List.of("--namespace=" + namespace, "port-forward", target, ":" + port));
        try {
            var process = new ProcessBuilder(line)
                    .redirectInput(new File("/dev/null"))
                    .redirectErrorStream(true)
                    .start();
            return new PortForward(process, announced(process, namespace + ", " + target));
        } catch (IOException e) {
            throw failed(namespace, String.valueOf(e.getMessage()));
        }
    }

    private static int announced(Process process, String what) throws IOException {
        var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        var said = new StringBuilder();
        for (var line = output.readLine(); line != null; line = output.readLine()) {
            var found = FORWARDING.matcher(line);
            if (found.matches()) {
                return Integer.parseInt(found.group(1));
            }
            said.append(line).append(' ');
        }
        throw failed(what, said.toString().strip());
    }

    private static Path kubectl(String path) {
        return Stream.of(path.split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, "kubectl"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> Installation.problem(
                        "no-kubectl",
                        "the program kubectl is not on the PATH, and the management server serves loopback only",
                        "install kubectl, or open another way to its port 9901 and name that with --fleet HOST:PORT"));
    }

    private static RuntimeException failed(String what, String why) {
        return Installation.problem(
                "no-fleet-server",
                "there is no way to the management server in " + what + ": " + why,
                "install one with fathomctl fleet init, or say where it is: --server-context, --server-namespace");
    }

    FathomdClient client() {
        return FathomdClient.of("127.0.0.1:" + port);
    }

    @Override
    public void close() {
        process.destroy();
    }
}
