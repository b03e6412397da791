// SPDX-License-Identifier: Apache-2.0
/// Rules in real network namespaces. Needs root.
@NullMarked
package io.fathom.node.cni.rules;

import org.jspecify.annotations.NullMarked;
