// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.netns;

import io.fathom.base.posix.FileIdentity;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.model.mesh.Ip;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds pods by their processes: the control group names the pod, and a namespace counts as the pod's only if one of
/// the pod's addresses is in it, since a process may have left for another one. Of several, that of the oldest process
/// counts. The namespace of process 1 is the host's and nobody else's.
public final class ProcScan implements NamespaceFinder {
    private static final Logger log = LoggerFactory.getLogger(ProcScan.class);
    private static final int START_TIME = 22 - 2; // counted after the name, which is the second field

    private final Path proc;
    private final NamespaceView view;

    /// Keeps nothing open but what it answers.
    ///
    /// @param proc where the host's processes are, such as `/host/proc`
    public ProcScan(Path proc, NamespaceView view) {
        this.proc = proc;
        this.view = view;
    }

    private record Candidate(NetworkNamespace namespace, long startTime) {}

    @Override
    public Map<String, NetworkNamespace> find(Map<String, Set<Ip>> pods) {
        Map<String, Candidate> best = new HashMap<>();
        Map<FileIdentity, String> claimed = new HashMap<>();
        var host = host();
        for (var process : processes()) {
            var uid = uid(process).filter(pods::containsKey);
            if (uid.isEmpty()) {
                continue;
            }
            candidate(process, host, claimed, uid.get(), pods).ifPresent(candidate -> {
                claimed.put(candidate.namespace().identity(), uid.get());
                var old = best.get(uid.get());
                if (old == null || candidate.startTime() < old.startTime()) {
                    best.put(uid.get(), candidate);
                    if (old != null) {
                        old.namespace().close();
                    }
                } else {
                    candidate.namespace().close();
                }
            });
        }
        return best.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().namespace()));
    }

    private Optional<Candidate> candidate(
            Path process,
            Optional<FileIdentity> host,
            Map<FileIdentity, String> claimed,
            String uid,
            Map<String, Set<Ip>> pods) {
        var startTime = startTime(process);
        if (startTime.isEmpty()) {
            return Optional.empty();
        }
        NetworkNamespace namespace;
        try {
            namespace = NetworkNamespace.open(process.resolve("ns/net"));
        } catch (PosixException e) {
            return Optional.empty(); // the process has ended, or is not ours to look into
        }
        var identity = namespace.identity();
        var owner = claimed.getOrDefault(identity, uid);
        if (host.equals(Optional.of(identity)) || !owner.equals(uid) || !holdsOne(namespace, pods.get(uid))) {
            namespace.close();
            return Optional.empty();
        }
        return Optional.of(new Candidate(namespace, startTime.getAsLong()));
    }

    private boolean holdsOne(NetworkNamespace namespace, @Nullable Set<Ip> wanted) {
        if (wanted == null || wanted.isEmpty()) {
            return false;
        }
        try {
            var inside = view.addresses(namespace);
            return wanted.stream().map(Ip::unmapped).anyMatch(inside::contains);
        } catch (IOException e) {
            log.atDebug().log("cannot look into a namespace: {}", e.getMessage());
            return false;
        }
    }

    private Optional<FileIdentity> host() {
        try (var namespace = NetworkNamespace.open(proc.resolve("1/ns/net"))) {
            return Optional.of(namespace.identity());
        } catch (PosixException e) {
            log.atWarn().log("the host's namespace cannot be told from pods': {}", e.getMessage());
            return Optional.empty();
        }
    }

    private List<Path> processes() {
        var processes = new ArrayList<Path>();
        try (var entries = Files.newDirectoryStream(proc, "[0-9]*")) {
            entries.forEach(processes::add);
        } catch (IOException e) {
            log.atWarn().addKeyValue("proc", proc).log("processes cannot be listed: {}", e.getMessage());
        }
        return processes;
    }

    private static Optional<String> uid(Path process) {
        try {
            return PodCgroup.parse(Files.readString(process.resolve("cgroup"))).map(PodCgroup::uid);
        } catch (IOException e) {
            return Optional.empty(); // ended
        }
    }

    /// The name is in parentheses and may hold anything, also parentheses.
    private static OptionalLong startTime(Path process) {
        try {
            var stat = Files.readString(process.resolve("stat"));
            var fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
            return OptionalLong.of(Long.parseLong(fields[START_TIME - 1]));
        } catch (IOException | RuntimeException e) {
            return OptionalLong.empty();
        }
    }
}
