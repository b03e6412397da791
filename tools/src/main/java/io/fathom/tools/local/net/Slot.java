// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.net;

import java.util.List;

/// The addresses of one mesh on this machine: a sixteenth of 198.19.0.0/16, half of what is set aside for benchmarks
/// and so never used by anybody else. Pure.
///
/// @param number several meshes run side by side in different slots
public record Slot(int number) {
    static final int COUNT = 16;
    public static final int FIRST_POD = 2;
    public static final int LAST = 254;
    static final int BALANCERS = 50;
    private static final int FIRST_SERVICE_PART = 8;

    public Slot {
        if (number < 0 || number >= COUNT) {
            throw new IllegalArgumentException("no slot: " + number);
        }
    }

    /// The machine's end of the cable to the mesh.
    public String link() {
        return "fathom" + number;
    }

    public String block() {
        return address(0, 0) + "/20";
    }

    public String machine() {
        return address(0, 1);
    }

    /// The address of a node.
    ///
    /// @param node counted from 0
    public String node(int node) {
        return address(0, 11 + node);
    }

    /// On nodes of another mesh, what leads to one of its nodes.
    String cable(int node) {
        return "to-" + number + "-" + node;
    }

    String podBlock(int node) {
        return address(1 + node, 0) + "/24";
    }

    /// The address of a node among its pods.
    String gateway(int node) {
        return address(1 + node, 1);
    }

    public String pod(int node, int number) {
        return address(1 + node, number);
    }

    String serviceBlock() {
        return address(FIRST_SERVICE_PART, 0) + "/24";
    }

    String service(int number) {
        return address(FIRST_SERVICE_PART, number);
    }

    /// An address of the machine for a load balancer, counted from 1.
    String balancer(int number) {
        return address(0, 100 + number);
    }

    /// What holds the addresses of its load balancers, and none of a node or pod.
    List<String> balancerBlocks() {
        return List.of(address(0, 96) + "/27", address(0, 128) + "/27");
    }

    private String address(int part, int last) {
        return "198.19." + (16 * number + part) + "." + last;
    }
}
