// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.Connection;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// A line in the log when a stream begins and one when it ends, for what its client refuses, and one for each push at
/// debug level. Any thread.
final class StreamLog {
    private static final Logger log = LoggerFactory.getLogger(StreamLog.class);

    private final String mode;
    private final Set<String> types = new TreeSet<>();
    private int pushes;
    private String lastRefusal = "";

    StreamLog(Connection.Protocol protocol) {
        this.mode = switch (protocol) {
            case DELTA -> "delta";
            case STATE_OF_THE_WORLD -> "SotW";
        };
    }

    void begins(String stream, String peer, XdsType first) {
        log.atInfo()
                .addKeyValue("stream", stream)
                .addKeyValue("peer", peer)
                .addKeyValue("mode", mode)
                .addKeyValue("first", name(first))
                .log("ADS stream begins");
    }

    synchronized void pushed(String stream, XdsResponse response) {
        pushes++;
        types.add(name(response.type()));
        log.atDebug()
                .addKeyValue("stream", stream)
                .addKeyValue("type", name(response.type()))
                .addKeyValue("resources", response.resources())
                .addKeyValue("removed", response.removed())
                .addKeyValue("bytes", response.size())
                .log("ADS push");
    }

    synchronized void refused(String stream, XdsType type, String error) {
        // A client that refuses everything for one reason is told of once.
        var level = error.equals(lastRefusal) ? Level.DEBUG : Level.WARN;
        lastRefusal = error;
        log.atLevel(level)
                .addKeyValue("stream", stream)
                .addKeyValue("type", type.url())
                .addKeyValue("error", error)
                .log("client refused a response");
    }

    synchronized void ends(String stream, Duration lasted) {
        log.atInfo()
                .addKeyValue("stream", stream)
                .addKeyValue("mode", mode)
                .addKeyValue("types", String.join(",", types))
                .addKeyValue("pushes", pushes)
                .addKeyValue("seconds", lasted.toSeconds())
                .log("ADS stream ends");
    }

    private static String name(XdsType type) {
        return type.label().toUpperCase(Locale.ROOT);
    }
}
