// SPDX-License-Identifier: Apache-2.0
/// Pods: their namespaces, processes, probes, and what the API says of them.
///
/// Entry: [io.fathom.tools.local.pod.Kubelet]. Each pod has threads of its own. Knows nothing about what asked for the
/// pod.
@NullMarked
package io.fathom.tools.local.pod;

import org.jspecify.annotations.NullMarked;
