// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.tools.local.run.RunFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Which of several clusters of one mesh an engine runs.
///
/// @param number counted from 1
/// @param networkNumber of the first cluster on its network
/// @param authority folder with the intermediate certificate that its control plane signs with
/// @param read the objects of the others whom it reads itself, by cluster
public record ClusterRole(int number, int networkNumber, Path authority, Map<String, Path> read) {
    public ClusterRole {
        read = Map.copyOf(read);
    }

    /// Its id.
    public String id() {
        return id(number);
    }

    public static String id(int number) {
        return "cluster-" + number;
    }

    public String network() {
        return "network-" + networkNumber;
    }

    /// What its control plane reads, in this order: what somebody writes counts more than what is there by itself.
    static List<Path> folders(RunFolder run, Path manifests) {
        return List.of(run.defaults(), manifests, run.applied());
    }
}
