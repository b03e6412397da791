// SPDX-License-Identifier: Apache-2.0
/// Certificates and keys that proxies ask the control plane for: how they are named, and what stands behind a name.
/// Entry classes: [io.fathom.control.envoy.sds.SecretName], [io.fathom.control.envoy.sds.SecretResources]. Pure.
@NullMarked
package io.fathom.control.envoy.sds;

import org.jspecify.annotations.NullMarked;
