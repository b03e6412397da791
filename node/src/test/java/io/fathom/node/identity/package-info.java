// SPDX-License-Identifier: Apache-2.0
/// The certificates of a node.
@NullMarked
package io.fathom.node.identity;

import org.jspecify.annotations.NullMarked;
