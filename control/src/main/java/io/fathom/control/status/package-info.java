// SPDX-License-Identifier: Apache-2.0
/// What the control plane writes back into a cluster, and who may: leaders, conditions, addresses.
/// Entry classes: [Leadership], [StatusWriter],
/// [AddressWriter], [RouteWriter]. Does not know where manifests come from.
@NullMarked
package io.fathom.control.status;

import org.jspecify.annotations.NullMarked;
