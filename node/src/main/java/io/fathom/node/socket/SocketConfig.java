// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import java.util.Optional;
import java.util.OptionalInt;

/// What every socket gets.
///
/// @param mark by which redirection knows packets of ours; none for a proxy that nothing is redirected to
/// @param portReuse whether two proxies may listen on one port, as during an upgrade
/// @param keepalive for streams that are dialled
public record SocketConfig(
        OptionalInt mark,
        PortReuse portReuse,
        KeepSource keepSource,
        Families families,
        Optional<Keepalive> keepalive) {
    /// SO_REUSEPORT on listeners.
    public enum PortReuse {
        NO,
        YES
    }

    /// IP_TRANSPARENT: whether connections to applications come from the client's address.
    public enum KeepSource {
        /// A listener cannot be made without it.
        REQUIRED,
        /// If it is permitted.
        IF_POSSIBLE,
        NEVER
    }

    /// Which addresses the sockets take.
    public enum Families {
        BOTH,
        IPV4
    }

    /// The same, but for the client's address.
    public SocketConfig keeping(KeepSource source) {
        return new SocketConfig(mark, portReuse, source, families, keepalive);
    }

    public static final int REDIRECTION_MARK = 1337;

    /// For sockets in pods.
    public static final SocketConfig IN_POD = new SocketConfig(
            OptionalInt.of(REDIRECTION_MARK),
            PortReuse.YES,
            KeepSource.IF_POSSIBLE,
            Families.BOTH,
            Optional.of(Keepalive.DEFAULT));

    /// For sockets of a proxy that redirects nothing.
    public static final SocketConfig PLAIN = new SocketConfig(
            OptionalInt.empty(), PortReuse.NO, KeepSource.NEVER, Families.BOTH, Optional.of(Keepalive.DEFAULT));
}
