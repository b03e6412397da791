// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

import io.fathom.base.posix.NetworkNamespace;
import io.fathom.wire.zds.PodInfo;
import java.util.Optional;

/// A pod that node proxies shall serve.
///
/// @param namespace stays its owner's, who may close it at any time; empty if it could not be found, so that a proxy
///     that serves the pod goes on with what it has
public record KnownPod(PodInfo pod, Optional<NetworkNamespace> namespace) {}
