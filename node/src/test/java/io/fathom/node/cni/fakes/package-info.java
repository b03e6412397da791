// SPDX-License-Identifier: Apache-2.0
/// Stand-ins for what the node agent acts through: they remember, and fail when told to.
@NullMarked
package io.fathom.node.cni.fakes;

import org.jspecify.annotations.NullMarked;
