// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.base.testkit.TestNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/// A node agent that was started.
public final class RunningAgent {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final TestNamespace node;
    private final Path run;
    private final Supplier<String> log;

    RunningAgent(Process process, TestNamespace node, Path run, Supplier<String> log) {
        this.process = process;
        this.node = node;
        this.run = run;
        this.log = log;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    boolean isReady() {
        try {
            return node.run("curl", "-sS", "--max-time", "5", "http://127.0.0.1:8000/readyz")
                    .startsWith("ready");
        } catch (IllegalStateException notYet) {
            return false;
        }
    }

    public String metrics() {
        return node.run("curl", "-sS", "--max-time", "10", "http://127.0.0.1:15014/metrics");
    }

    /// What it says about the pods of its node.
    public JsonNode capture() {
        try {
            return JSON.readTree(node.run("curl", "-sS", "--max-time", "20", "http://127.0.0.1:15014/capture"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What state the pod is in; empty if the agent does not know it.
    public String state(LabPod pod) {
        for (var entry : capture().at("/pods")) {
            if (entry.at("/name").asText().equals(pod.name())) {
                return entry.at("/state").asText();
            }
        }
        return "";
    }

    /// What the plugin does; the status of the answer.
    public String add(LabPod pod) {
        var body = """
                {"Netns":"%s","PodName":"%s","PodNamespace":"lab","IPs":[{"Interface":0,"Address":{"IP":"%s",\
                "Mask":"////AA=="},"Gateway":""}]}""".formatted(pod.namespace().path(), pod.name(), pod.ip());
        return TestNamespace.execute(List.of(
                "curl",
                "-sS",
                "--max-time",
                "20",
                "--unix-socket",
                run.resolve("pluginevent.sock").toString(),
                "-o",
                "/dev/null",
                "-w",
                "%{http_code}",
                "-H",
                "Content-Type: application/json",
                "-d",
                body,
                "http://unix/cmdadd"));
    }

    /// How many addresses probes are let through to.
    public long probes() {
        return node.run("ipset", "list", "istio-inpod-probes-v4", "-o", "save")
                .lines()
                .filter(line -> line.startsWith("add "))
                .count();
    }

    public long descriptors() {
        return descriptors(process.pid());
    }

    /// How many files a program has open.
    public static long descriptors(long pid) {
        try (var files = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// In an instant, as by `kill -9`.
    public void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The end of what it logged.
    public String log() {
        return log.get();
    }
}
