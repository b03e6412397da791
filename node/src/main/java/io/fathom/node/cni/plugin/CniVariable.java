// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

/// The environment of a CNI call, by its names there.
enum CniVariable {
    CNI_COMMAND,
    CNI_CONTAINERID,
    CNI_NETNS,
    CNI_IFNAME,
    CNI_ARGS,
    CNI_PATH,
    CNI_NETNS_OVERRIDE
}
