// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.store.RecordFile;
import io.fathom.fleet.store.RecordLog;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.wire.fleet.FleetCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What clusters have said of their services, on disk, so that a server that starts again knows it and agents send only
/// what is new. A file for each cluster: what it said in all at some time, then each message as it came. A cache:
/// without it everything is learnt from agents, and a disk that fails costs nothing but that. Any thread; several
/// threads for one cluster wait for each other.
public final class FactCache {
    private static final Logger log = LoggerFactory.getLogger(FactCache.class);
    private static final byte BASE = 1;
    private static final byte LATER = 2;
    private static final int FACTS_AT_ONCE = 2000;
    private static final long LARGEST = 64 << 20;
    private static final long LEAST_GROWTH = 256 * 1024;

    private final Path folder;
    private final long leastGrowth;
    private final Map<String, CachedOrigin> origins = new ConcurrentHashMap<>();

    /// The file of one cluster. Guarded by itself.
    private static final class CachedOrigin {
        private final RecordLog file;
        private long base;
        private boolean broken;

        CachedOrigin(RecordLog file) {
            this.file = file;
        }
    }

    private FactCache(Path folder, long leastGrowth) {
        this.folder = folder;
        this.leastGrowth = leastGrowth;
    }

    /// In a folder, which is made where there is none.
    ///
    /// @throws ProblemException when it cannot be made
    public static FactCache in(Path folder) {
        return in(folder, LEAST_GROWTH);
    }

    /// The same with files that are written anew when they have grown by that much.
    static FactCache in(Path folder, long leastGrowth) {
        RecordFile.createFolder(folder);
        return new FactCache(folder, leastGrowth);
    }

    private CachedOrigin origin(String uid) {
        return origins.computeIfAbsent(uid, _ -> new CachedOrigin(new RecordLog(folder.resolve(uid))));
    }

    /// What was kept of a cluster.
    ///
    /// @param base all that it had said up to their version, which they have in common; there may be none
    /// @param later what it has said since, in order
    record CachedExports(List<FleetUp.Services> base, List<FleetUp> later) {
        boolean isEmpty() {
            return base.isEmpty() && later.isEmpty();
        }
    }

    /// Nothing when there is nothing that can be read.
    CachedExports read(String uid) {
        var origin = origin(uid);
        var base = new ArrayList<FleetUp.Services>();
        var later = new ArrayList<FleetUp>();
        synchronized (origin) {
            try {
                for (var bytes : origin.file.read()) {
                    var message = FleetCodec.up(Arrays.copyOfRange(bytes, 1, bytes.length));
                    if (bytes[0] == BASE && message instanceof FleetUp.Services part) {
                        base.add(part);
                        origin.base += bytes.length;
                    } else {
                        later.add(message);
                    }
                }
                return new CachedExports(base, later);
            } catch (IOException | ProblemException e) {
                log.atWarn()
                        .addKeyValue("cluster", uid)
                        .addKeyValue("problem", e)
                        .log("cached services are not used");
                forget(uid);
                return new CachedExports(List.of(), List.of());
            }
        }
    }

    /// Keeps what has been accepted.
    ///
    /// @param all gives everything the cluster has said, when the file has grown too long; nothing in the middle
    void said(String uid, FleetUp message, Supplier<Optional<FleetUp.Services>> all) {
        var origin = origin(uid);
        synchronized (origin) {
            try {
                if (origin.broken) {
                    return;
                }
                var length = origin.file.append(marked(LATER, message));
                if (length > 2 * origin.base + leastGrowth) {
                    var whole = all.get();
                    if (whole.isPresent()) {
                        origin.base = origin.file.replace(parts(whole.get()));
                    } else if (length > LARGEST) {
                        throw new IOException("it never comes to the end of what it says");
                    }
                }
            } catch (IOException e) {
                giveUp(uid, origin, e);
            }
        }
    }

    /// Keeps all that a cluster has said, in place of what was kept of it.
    void whole(String uid, FleetUp.Services all) {
        var origin = origin(uid);
        synchronized (origin) {
            try {
                if (!origin.broken) {
                    origin.base = origin.file.replace(parts(all));
                }
            } catch (IOException e) {
                giveUp(uid, origin, e);
            }
        }
    }

    private void giveUp(String uid, CachedOrigin origin, IOException e) {
        log.atWarn().addKeyValue("cluster", uid).addKeyValue("problem", e).log("services are no longer cached");
        origin.broken = true; // what has a gap is worse than nothing
        forget(uid);
    }

    private static List<byte[]> parts(FleetUp.Services all) {
        var parts = new ArrayList<byte[]>();
        List<ServiceFact> facts = all.changed();
        for (var from = 0; from == 0 || from < facts.size(); from += FACTS_AT_ONCE) {
            var part = facts.subList(from, Math.min(facts.size(), from + FACTS_AT_ONCE));
            parts.add(marked(BASE, new FleetUp.Services(part, List.of(), all.part(), all.version())));
        }
        return parts;
    }

    private static byte[] marked(byte kind, FleetUp message) {
        var bytes = FleetCodec.bytes(message);
        var marked = new byte[bytes.length + 1];
        marked[0] = kind;
        System.arraycopy(bytes, 0, marked, 1, bytes.length);
        return marked;
    }

    /// The cluster is no member any more.
    void forget(String uid) {
        var origin = origin(uid);
        synchronized (origin) {
            try {
                origin.base = 0;
                origin.file.delete();
            } catch (IOException e) {
                log.atWarn()
                        .addKeyValue("cluster", uid)
                        .addKeyValue("problem", e)
                        .log("cached services stay");
            }
        }
    }

    /// Leaves nothing but what these clusters have said.
    void keepOnly(Set<String> members) {
        var others = new HashSet<String>();
        try (var files = Files.list(folder)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> !members.contains(name))
                    .forEach(others::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        others.forEach(this::forget);
    }
}
