package io.fathom.wire.kube;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A PeerAuthentication.
///
/// @param portModes modes by port number, ascending
public record PeerAuthenticationManifest(
        Metadata metadata, Optional<Map<String, String>> selector, Mode mode, SortedMap<Integer, Mode> portModes)
        implements Manifest {

    public enum Mode {
        UNSET,
        DISABLE,
        PERMISSIVE,
        STRICT
    }

    public PeerAuthenticationManifest {
        selector = selector.map(Map::copyOf);
        portModes = Collections.unmodifiableSortedMap(new TreeMap<>(portModes));
    }
}
