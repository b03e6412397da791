// SPDX-License-Identifier: Apache-2.0
/// The CNI plugin as hosts run it: the assembled launcher, a real API server, an independent CNI client.
@NullMarked
package io.fathom.verify.cni;

import org.jspecify.annotations.NullMarked;
