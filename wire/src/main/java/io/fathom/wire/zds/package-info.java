// SPDX-License-Identifier: Apache-2.0
/// ZDS: how the CNI agent hands pods and their network namespaces to the node proxy. The proxy dials with
/// [io.fathom.wire.zds.ZdsClient]; the agent listens with [io.fathom.wire.zds.ZdsListener]. Calls block, so each
/// connection has a platform thread. Knows nothing of what is done with the pods.
@NullMarked
package io.fathom.wire.zds;

import org.jspecify.annotations.NullMarked;
