// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

/// What becomes of a name that stands twice in one map.
public enum Duplicates {
    /// The whole document is broken.
    BREAK,
    /// The first counts, the others are noted in [Tree.Mapping#keys()].
    NOTE
}
