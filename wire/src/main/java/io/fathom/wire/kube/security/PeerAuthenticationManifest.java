// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A PeerAuthentication.
///
/// @param portModes modes by port number, ascending
/// @param damage what it is if it could not be read as written; then the other components are what is in force
public record PeerAuthenticationManifest(
        Metadata metadata,
        Optional<Map<String, String>> selector,
        Mode mode,
        SortedMap<Integer, Mode> portModes,
        Optional<Damage> damage)
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

    /// One that was read as written.
    public PeerAuthenticationManifest(
            Metadata metadata, Optional<Map<String, String>> selector, Mode mode, SortedMap<Integer, Mode> portModes) {
        this(metadata, selector, mode, portModes, Optional.empty());
    }

    @Override
    public boolean protects() {
        return true;
    }
}
