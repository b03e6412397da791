// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni.plugin;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Makes the calls that matter once, so that the JVM can keep the classes for later starts. Run by
/// `bin/lib/plugin-runtime` with the runtime that it assembles, against a [RehearsalServer].
public final class Rehearsal {
    private Rehearsal() {}

    /// Argument: the folder where the server has put a kubeconfig and its socket.
    public static void main(String[] args) throws IOException {
        var folder = Path.of(args[0]);
        var conf = Files.readString(folder.resolve("conf.json"));
        var failed = 0;
        for (var pod : List.of("captured", "unknown-captured", "unknown-left-alone")) {
            failed +=
                    call(conf, Map.of("CNI_COMMAND", "ADD", "CNI_ARGS", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=" + pod));
        }
        failed += call(conf, Map.of("CNI_COMMAND", "DEL"));
        failed += call(conf, Map.of("CNI_COMMAND", "VERSION"));
        System.exit(failed);
    }

    private static int call(String conf, Map<String, String> variables) {
        var environment = new HashMap<>(System.getenv());
        environment.putAll(variables);
        environment.put("CNI_CONTAINERID", "rehearsal");
        environment.put("CNI_NETNS", "/var/run/netns/rehearsal");
        environment.put("CNI_IFNAME", "eth0");
        environment.put("CNI_PATH", "/opt/cni/bin");
        return IstioCniMain.call(environment, new ByteArrayInputStream(conf.getBytes(StandardCharsets.UTF_8)));
    }
}
