// SPDX-License-Identifier: Apache-2.0
/// Who calls: the credentials that came with a gRPC call (`Credentials`), and the gate that lets calls in once they are
/// known (`CallGate`). Decides nothing itself.
@NullMarked
package io.fathom.wire.auth;

import org.jspecify.annotations.NullMarked;
