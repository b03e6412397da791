// SPDX-License-Identifier: Apache-2.0
/// Whether gateways of other clusters can be used: what probes of them mean, and when the next one is due. Pure; time
/// is an argument.
///
/// Entry: [io.fathom.control.reach.ProbeState]. Must not know how gateways are dialled.
@NullMarked
package io.fathom.control.reach;

import org.jspecify.annotations.NullMarked;
