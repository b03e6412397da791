// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import java.time.Duration;

/// How much, how many and how long.
///
/// @param windows what each side may send unasked
/// @param streamsPerConnection of a client, before it dials another connection
/// @param acceptedStreams of a server's connection at one time
/// @param clientHeaderBytes a client reads in one response
/// @param serverHeaderBytes a server reads in one request
/// @param pooledConnections of one pool and event loop; the least recently used go first
/// @param times after which something is given up
public record HboneLimits(
        Windows windows,
        int streamsPerConnection,
        int acceptedStreams,
        int clientHeaderBytes,
        int serverHeaderBytes,
        int pooledConnections,
        Times times) {
    public static final HboneLimits DEFAULT =
            new HboneLimits(Windows.DEFAULT, 100, 200, 16 * 1024, 64 * 1024, 500, Times.DEFAULT);

    public HboneLimits {
        if (streamsPerConnection < 1 || acceptedStreams < 1 || pooledConnections < 1) {
            throw new IllegalArgumentException("at least one stream and one connection are needed");
        }
    }

    public HboneLimits with(Windows other) {
        return new HboneLimits(
                other,
                streamsPerConnection,
                acceptedStreams,
                clientHeaderBytes,
                serverHeaderBytes,
                pooledConnections,
                times);
    }

    public HboneLimits with(Times other) {
        return new HboneLimits(
                windows,
                streamsPerConnection,
                acceptedStreams,
                clientHeaderBytes,
                serverHeaderBytes,
                pooledConnections,
                other);
    }

    public HboneLimits withStreamsPerConnection(int streams) {
        return new HboneLimits(
                windows, streams, acceptedStreams, clientHeaderBytes, serverHeaderBytes, pooledConnections, times);
    }

    /// Bytes on their way.
    ///
    /// @param stream a peer may send in one stream before we have passed something on
    /// @param connection the same for all streams; several times that of a stream, so that none starves the others
    /// @param frame the largest one we take
    /// @param pending we keep for one stream that cannot send; above it the tunnel is not writable
    public record Windows(int stream, int connection, int frame, int pending) {
        private static final int MIN_WINDOW = 65_535;
        private static final int MIN_FRAME = 16_384;
        private static final int MAX_FRAME = 16_777_215;

        public static final Windows DEFAULT = new Windows(4 << 20, 16 << 20, 1 << 20, 256 << 10);

        public Windows {
            if (stream < MIN_WINDOW || connection < MIN_WINDOW || pending < 1) {
                throw new IllegalArgumentException("windows have at least " + MIN_WINDOW + " bytes");
            }
            if (frame < MIN_FRAME || frame > MAX_FRAME) {
                throw new IllegalArgumentException("frames have from " + MIN_FRAME + " to " + MAX_FRAME + " bytes");
            }
        }
    }

    /// How long.
    ///
    /// @param dial until a TCP connection is there
    /// @param handshake from then on until TLS is
    /// @param reply from a request to its answer; longer than the peer's own dial may take
    /// @param idle a pooled connection without streams is kept
    /// @param quiet without a byte from the peer, until it is asked for a sign of life
    /// @param sign of life, until the peer counts as gone
    public record Times(
            Duration dial, Duration handshake, Duration reply, Duration idle, Duration quiet, Duration sign) {
        public static final Times DEFAULT = new Times(
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofSeconds(20),
                Duration.ofMinutes(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(20));
    }
}
