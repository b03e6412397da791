// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/// What a pod says itself about how its names are resolved (`dnsConfig`, `dnsPolicy`).
///
/// @param nameServers to ask, in order
/// @param searchDomains to try, in order
public record PodResolver(List<Ip> nameServers, List<String> searchDomains, Role role) {
    /// Nothing of its own.
    public static final PodResolver NONE = new PodResolver(List.of(), List.of(), Role.ADDED);

    /// What becomes of those that pods have by default.
    public enum Role {
        /// They come first.
        ADDED,
        /// They do not count: `dnsPolicy: None`.
        ALONE
    }

    public PodResolver {
        nameServers = List.copyOf(nameServers);
        searchDomains = List.copyOf(searchDomains);
    }

    /// The default ones and the pod's own, in the order in which they count.
    public static <T> List<T> merged(Role role, List<T> defaults, List<T> own) {
        if (role == Role.ALONE) {
            return own;
        }
        var all = new LinkedHashSet<>(defaults);
        all.addAll(own);
        return new ArrayList<>(all);
    }
}
