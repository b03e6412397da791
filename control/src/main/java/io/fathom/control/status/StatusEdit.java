// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.wire.kube.tree.Tree;

/// What to apply to the status of an object.
///
/// @param manager who owns it from then on
record StatusEdit(Tree object, String manager) {}
