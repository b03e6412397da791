// SPDX-License-Identifier: Apache-2.0
/// One pod's proxy: [io.fathom.node.proxy.pod.ServedPod] has its listeners, started, drained and stopped as a unit.
@NullMarked
package io.fathom.node.proxy.pod;

import org.jspecify.annotations.NullMarked;
