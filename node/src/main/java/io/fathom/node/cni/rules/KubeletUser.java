// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Finds out which user the kubelet of a node runs as, from a view of the host's processes.
final class KubeletUser {
    private static final int ROOT = 0;

    private final Path proc;

    KubeletUser(Path proc) {
        this.proc = proc;
    }

    /// Root if there is no kubelet.
    int uid() {
        try (var processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (var process : processes) {
                var uid = ifKubelet(process);
                if (uid.isPresent()) {
                    return uid.get();
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return ROOT;
        }
        return ROOT;
    }

    private static Optional<Integer> ifKubelet(Path process) {
        try {
            var name = Files.readString(process.resolve("comm")).strip();
            if (name.equals("kubelet") || name.startsWith("k3s") || (name.equals("kubelite") && hasKubelet(process))) {
                return Optional.of((Integer) Files.getAttribute(process, "unix:uid"));
            }
        } catch (IOException e) {
            // it ended meanwhile
        }
        return Optional.empty();
    }

    /// Many programs in one: is the kubelet among them?
    private static boolean hasKubelet(Path process) throws IOException {
        return new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.UTF_8).contains("kubelet");
    }
}
