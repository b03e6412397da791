// SPDX-License-Identifier: Apache-2.0
/// What a control plane reads from a real API server, whatever happens between the two.
///
/// Entry: [io.fathom.verify.source.ClusterSourceIT].
@NullMarked
package io.fathom.verify.source;

import org.jspecify.annotations.NullMarked;
