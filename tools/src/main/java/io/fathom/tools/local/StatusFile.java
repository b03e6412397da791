// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.tools.local.pod.LocalPod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;

/// Writes down what runs, for `bin/up status`, whenever that changed. One thread only.
final class StatusFile {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final EngineConfig config;
    private final Programs programs;
    private String last = "";

    StatusFile(EngineConfig config, Programs programs) {
        this.config = config;
        this.programs = programs;
    }

    void write(List<LocalPod> pods) throws IOException {
        var status = JSON.createObjectNode();
        status.put("manifests", config.manifests().toString());
        status.put("http", programs.ports().http());
        var list = status.putArray("programs");
        for (var program : programs.running()) {
            list.addObject()
                    .put("name", program.name())
                    .put("pid", program.pid())
                    .put("restarts", program.restarts());
        }
        var podList = status.putArray("pods");
        pods.stream()
                .sorted(Comparator.comparing(pod -> pod.facts().title()))
                .forEach(pod -> podList.addObject()
                        .put("namespace", pod.facts().namespace())
                        .put("name", pod.facts().name())
                        .put("node", pod.facts().nodeName())
                        .put("ip", pod.facts().ip())
                        .put("pid", pod.pid())
                        .put("phase", pod.state().phase().name())
                        .put("ready", pod.state().ready())
                        .put("restarts", pod.state().restarts())
                        .put("complaint", pod.complaint()));
        var text = status.toString();
        if (!text.equals(last)) {
            var file = config.run().status();
            var draft = file.resolveSibling("." + file.getFileName());
            Files.writeString(draft, text);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            last = text;
        }
    }
}
