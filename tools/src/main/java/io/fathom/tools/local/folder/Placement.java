// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// Decides where a pod goes: where its Deployment has the fewest pods, then where there are the fewest at all. Pure.
public final class Placement {
    private Placement() {}

    /// The node for the next pod of a Deployment.
    ///
    /// @param nodes the Deployments of the pods on each node
    public static int choose(List<List<String>> nodes, String deployment) {
        return IntStream.range(0, nodes.size())
                .boxed()
                .min(Comparator.<Integer>comparingLong(node -> nodes.get(node).stream()
                                .filter(deployment::equals)
                                .count())
                        .thenComparingInt(node -> nodes.get(node).size()))
                .orElseThrow();
    }
}
