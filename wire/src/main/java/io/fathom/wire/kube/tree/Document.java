// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

/// One document of a text: understood, or broken without harm to its neighbours.
public sealed interface Document {
    record Parsed(Tree root) implements Document {}

    record Broken(MisreadException cause) implements Document {}
}
