// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

/// Which end of the traffic counted it.
public enum Reporter {
    SOURCE("source", "outbound"),
    DESTINATION("destination", "inbound");

    private final String label;
    private final String direction;

    Reporter(String label, String direction) {
        this.label = label;
        this.direction = direction;
    }

    String label() {
        return label;
    }

    String direction() {
        return direction;
    }
}
