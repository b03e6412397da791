// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

/// Where a value stands: the name of its source, usually a file, and a line counted from 1.
public record Position(String file, int line) {
    @Override
    public String toString() {
        return file + ":" + line;
    }
}
