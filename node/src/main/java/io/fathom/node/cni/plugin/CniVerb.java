// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import static io.fathom.node.cni.plugin.CniVariable.CNI_CONTAINERID;
import static io.fathom.node.cni.plugin.CniVariable.CNI_IFNAME;
import static io.fathom.node.cni.plugin.CniVariable.CNI_NETNS;
import static io.fathom.node.cni.plugin.CniVariable.CNI_PATH;

import java.util.List;

/// What a container runtime may ask for, what it must say then, and since which version.
enum CniVerb {
    ADD(CniVersion.V0_1_0),
    CHECK(CniVersion.V0_4_0),
    DEL(CniVersion.V0_1_0),
    GC(CniVersion.V1_1_0),
    STATUS(CniVersion.V1_1_0),
    VERSION(CniVersion.V0_1_0);

    private final CniVersion since;

    CniVerb(CniVersion since) {
        this.since = since;
    }

    CniVersion since() {
        return since;
    }

    List<CniVariable> required() {
        return switch (this) {
            case ADD, CHECK -> List.of(CNI_CONTAINERID, CNI_NETNS, CNI_IFNAME, CNI_PATH);
            case DEL -> List.of(CNI_CONTAINERID, CNI_IFNAME, CNI_PATH);
            case GC, STATUS -> List.of(CNI_PATH);
            case VERSION -> List.of();
        };
    }
}
