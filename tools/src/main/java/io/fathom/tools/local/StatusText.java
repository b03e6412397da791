// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.local.run.RunFolder;
import io.fathom.tools.query.FathomdClient;
import io.fathom.wire.kube.folder.ObjectFiles;
import io.fathom.wire.kube.folder.ObjectName;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.LongPredicate;

/// What `bin/up status` shows: the programs and the pods of a mesh that runs.
public final class StatusText {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int GAP = 3;

    private StatusText() {}

    /// The programs and pods of the mesh there.
    ///
    /// @throws ProblemException when nothing is written down yet
    public static String of(RunFolder run) {
        try {
            var objects = ObjectFiles.in(run.objects());
            var status = JSON.readTree(Files.readString(run.status()));
            return of(
                            status,
                            (namespace, pod) -> capture(objects.read(new ObjectName("Pod", namespace, pod))
                                    .orElse("{}")),
                            pid -> ProcessHandle.of(pid).isPresent())
                    + "\n"
                    + problems(status.path("http").asInt(), run.up())
                    + "\n";
        } catch (IOException e) {
            throw new ProblemException(Problem.ofInput(
                    "no-status",
                    "there is nothing about a mesh in " + run.root(),
                    "wait a moment, or see " + run.up() + " logs"));
        }
    }

    /// What the node agent noted on a pod.
    private static String capture(String pod) {
        try {
            return JSON.readTree(pod)
                    .path("metadata")
                    .path("annotations")
                    .path("ambient.istio.io/redirection")
                    .asText("no");
        } catch (IOException _) {
            return "no";
        }
    }

    /// What is written down may be a moment old: a process that is gone since does not count as running.
    ///
    /// @param capture by namespace and name of a pod
    /// @param alive whether there is a process with that id
    static String of(JsonNode status, BinaryOperator<String> capture, LongPredicate alive) {
        var text = new StringBuilder();
        var programs = new ArrayList<List<String>>();
        programs.add(List.of("PROGRAM", "STATE", "RESTARTS"));
        for (var program : status.path("programs")) {
            programs.add(List.of(
                    program.path("name").asText(),
                    alive.test(program.path("pid").asLong()) ? "running" : "starting",
                    program.path("restarts").asText()));
        }
        table(text, programs);
        text.append('\n');
        var pods = new ArrayList<List<String>>();
        pods.add(List.of("NAMESPACE", "POD", "NODE", "IP", "STATE", "RESTARTS", "CAPTURED"));
        for (var pod : status.path("pods")) {
            pods.add(List.of(
                    pod.path("namespace").asText(),
                    pod.path("name").asText(),
                    pod.path("node").asText(),
                    pod.path("ip").asText(),
                    state(pod, alive),
                    pod.path("restarts").asText(),
                    capture.apply(
                            pod.path("namespace").asText(), pod.path("name").asText())));
        }
        table(text, pods);
        for (var pod : status.path("pods")) {
            if (!pod.path("complaint").asText().isEmpty()) {
                text.append('\n').append(pod.path("name").asText()).append(": ");
                text.append(pod.path("complaint").asText()).append('\n');
            }
        }
        return text.toString();
    }

    private static String problems(int port, String up) {
        try {
            return problems(FathomdClient.of("127.0.0.1:" + port).json("/debug/problemz"), up);
        } catch (ProblemException e) {
            return "problems: unknown, " + e.problem().message();
        }
    }

    /// How many there are, and where to read them.
    static String problems(JsonNode problems, String up) {
        var errors = 0;
        for (var problem : problems) {
            errors += problem.path("severity").asText().equals("ERROR") ? 1 : 0;
        }
        var warnings = problems.size() - errors;
        return problems.isEmpty()
                ? "problems: none"
                : "problems: %s, %s: see %s fathomctl get problems"
                        .formatted(count(errors, "error"), count(warnings, "warning"), up);
    }

    private static String count(int number, String word) {
        return number + " " + word + (number == 1 ? "" : "s");
    }

    private static String state(JsonNode pod, LongPredicate alive) {
        return switch (pod.path("phase").asText()) {
            case "PENDING" -> "waiting for the agent";
            case "STOPPING" -> "stopping";
            case "SUCCEEDED" -> "succeeded";
            case "FAILED" -> "failed";
            default ->
                pod.path("ready").asBoolean() && alive.test(pod.path("pid").asLong()) ? "ready" : "not ready";
        };
    }

    private static void table(StringBuilder text, List<List<String>> rows) {
        for (var row : rows) {
            var line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                int at = column;
                var width = rows.stream()
                        .mapToInt(any -> any.get(at).length())
                        .max()
                        .orElse(0);
                line.append(row.get(column)).repeat(" ", width - row.get(column).length() + GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
    }
}
