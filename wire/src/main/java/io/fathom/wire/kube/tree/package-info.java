// SPDX-License-Identifier: Apache-2.0
/// Structured text (YAML, JSON) as a tree in which every value knows its file, line and field path.
///
/// Entry: [io.fathom.wire.kube.tree.Documents] for text, [io.fathom.wire.kube.tree.Field] for reading a tree.
/// Everything here is immutable or used by one caller only. Knows nothing about Kubernetes kinds.
@NullMarked
package io.fathom.wire.kube.tree;

import org.jspecify.annotations.NullMarked;
