// SPDX-License-Identifier: Apache-2.0
/// Kinds of `security.istio.io`, and what is in force of one that has mistakes.
///
/// Entry: [io.fathom.wire.kube.security.AuthorizationPolicyManifest]. Immutable; readers run on the thread of the
/// source. Knows nothing about who enforces it.
@NullMarked
package io.fathom.wire.kube.security;

import org.jspecify.annotations.NullMarked;
