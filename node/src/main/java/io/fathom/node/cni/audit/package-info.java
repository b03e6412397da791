// SPDX-License-Identifier: Apache-2.0
/// Compares, for each pod, what is wanted with what is really there: annotation, rules, listeners, proxies. What
/// differs is repaired and counted.
///
/// Entry: [io.fathom.node.cni.audit.CaptureAudit]. Judging is pure, in [io.fathom.node.cni.audit.Judge].
@NullMarked
package io.fathom.node.cni.audit;

import org.jspecify.annotations.NullMarked;
