// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.audit;

import io.fathom.node.cni.netns.NamespaceView.ListeningSocket;
import io.fathom.node.cni.rules.Difference;
import io.fathom.node.cni.zds.PodAnswer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What was found of a pod.
///
/// @param namespace its inode, if it is held
/// @param rules how they differ; empty if they could not be looked at
/// @param listeners in its namespace; empty if it could not be looked into
/// @param proxies what connected proxies say, by their numbers
public record Reality(
        Optional<Long> namespace,
        Optional<List<Difference>> rules,
        Optional<Set<ListeningSocket>> listeners,
        Map<Integer, PodAnswer> proxies) {
    static final Reality NOTHING = new Reality(Optional.empty(), Optional.empty(), Optional.empty(), Map.of());

    public Reality {
        rules = rules.map(List::copyOf);
        listeners = listeners.map(Set::copyOf);
        proxies = Map.copyOf(proxies);
    }
}
