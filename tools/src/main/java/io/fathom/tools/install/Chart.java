// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A chart of ours, in the order of installation.
enum Chart {
    BASE("fathom-base", "istio-base", "Core", "base", ""),
    CONTROL_PLANE("fathomd", "istiod", "Control plane", "pilot", "pilot"),
    NODE_AGENT("fathom-cni", "istio-cni", "Node agent", "cni", "cni"),
    NODE_PROXY("ztunnel", "ztunnel", "Node proxy", "ztunnel", "ztunnel"),
    /// Any number of releases, each with a name of its own: see [GatewayRelease].
    GATEWAY("fathom-gateway", "", "Gateway", "ingressGateways", "gateways");

    /// The parts that every mesh has one of.
    static final List<Chart> PARTS = List.of(BASE, CONTROL_PLANE, NODE_AGENT, NODE_PROXY);

    private static final String DEFAULT = "default";

    private final String folder;
    private final String release;
    private final String title;
    private final String component;
    private final String section;

    Chart(String folder, String release, String title, String component, String section) {
        this.folder = folder;
        this.release = release;
        this.title = title;
        this.component = component;
        this.section = section;
    }

    /// The folder that it is in.
    String folder() {
        return folder;
    }

    /// What people call it.
    String title() {
        return title;
    }

    /// What upstream's `components` calls it.
    String component() {
        return component;
    }

    /// The part of upstream's `values` that is for it alone; empty for none.
    String section() {
        return section;
    }

    /// The name of its release. Control planes of several revisions stand side by side.
    String release(String revision) {
        return this == CONTROL_PLANE && !isDefault(revision) ? release + "-" + revision : release;
    }

    static boolean isDefault(String revision) {
        return revision.isEmpty() || revision.equals(DEFAULT);
    }

    /// Which chart a release is made from, if it is one of ours.
    ///
    /// @param chart with its version, as helm lists it
    static Optional<Chart> of(String chart) {
        return Stream.of(values())
                .filter(candidate -> chart.matches(candidate.folder + "-[0-9].*"))
                .findFirst();
    }
}
