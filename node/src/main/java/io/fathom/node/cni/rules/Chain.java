// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

/// A chain that rules are put into: one that the kernel has, or one of ours.
enum Chain {
    PREROUTING("PREROUTING", "prerouting"),
    OUTPUT("OUTPUT", "output"),
    POSTROUTING("POSTROUTING", "postrouting"),
    OUR_PREROUTING("ISTIO_PRERT", "istio-prerouting"),
    OUR_OUTPUT("ISTIO_OUTPUT", "istio-output"),
    OUR_POSTROUTING("ISTIO_POSTRT", "istio-postrouting"),
    /// Of the host, for packets that claim to be probes.
    CLAIMS("ISTIO_CLAIMS", "istio-claims");

    /// How the names of all our chains in iptables begin, also of older versions.
    static final String PREFIX = "ISTIO_";

    private final String iptables;
    private final String nftables;

    Chain(String iptables, String nftables) {
        this.iptables = iptables;
        this.nftables = nftables;
    }

    String iptables() {
        return iptables;
    }

    String nftables() {
        return nftables;
    }

    boolean isOurs() {
        return iptables.startsWith(PREFIX);
    }
}
