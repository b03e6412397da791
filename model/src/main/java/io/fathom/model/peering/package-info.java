// SPDX-License-Identifier: Apache-2.0
/// What clusters tell each other about themselves.
///
/// Entry: [io.fathom.model.peering.ServiceSummary]. Pure. Knows nothing of how it travels.
@NullMarked
package io.fathom.model.peering;

import org.jspecify.annotations.NullMarked;
