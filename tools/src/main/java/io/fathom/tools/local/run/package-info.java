// SPDX-License-Identifier: Apache-2.0
/// Where a run keeps its files, and how commands of the system are run and tried again.
///
/// Entry: [io.fathom.tools.local.run.RunFolder]. Blocks; for any thread. Knows nothing about pods and networks.
@NullMarked
package io.fathom.tools.local.run;

import org.jspecify.annotations.NullMarked;
