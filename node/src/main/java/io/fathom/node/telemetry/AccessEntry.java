// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import io.fathom.model.mesh.IpPort;
import java.time.Instant;
import java.util.Optional;

/// One line of the access log before it is text.
sealed interface AccessEntry {
    /// How loud.
    enum Level {
        DEBUG,
        INFO,
        WARN,
        ERROR
    }

    Instant time();

    Level level();

    String message();

    /// A connection that began: nothing but its facts is known.
    record Opened(Instant time, ConnectionFacts facts) implements AccessEntry {
        @Override
        public Level level() {
            return Level.DEBUG;
        }

        @Override
        public String message() {
            return "connection opened";
        }
    }

    /// A connection that is over.
    record Complete(Instant time, ConnectionFacts facts, long sent, long received, long millis, Optional<String> error)
            implements AccessEntry {
        @Override
        public Level level() {
            return error.isPresent() ? Level.ERROR : Level.INFO;
        }

        @Override
        public String message() {
            return "connection complete";
        }
    }

    /// Something that never became a connection of the mesh.
    record Failed(Instant time, Reporter reporter, IpPort source, Optional<IpPort> destination, String error)
            implements AccessEntry {
        @Override
        public Level level() {
            return Level.WARN;
        }

        @Override
        public String message() {
            return "connection failed";
        }
    }
}
