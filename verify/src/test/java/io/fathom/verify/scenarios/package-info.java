// SPDX-License-Identifier: Apache-2.0
/// The recorded answers of upstream's control plane, asked again of ours through real sockets.
///
/// Entry: [io.fathom.verify.scenarios.GoldenTest]; the recordings are in the test resources under `golden`.
@NullMarked
package io.fathom.verify.scenarios;

import org.jspecify.annotations.NullMarked;
