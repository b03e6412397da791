// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.api.KubeconfigTrust;
import java.time.InstantSource;

/// How the clusters of kubeconfigs are read.
///
/// @param reader for our own cluster
/// @param trust what kubeconfigs may use
public record KubeconfigSettings(
        ReaderConfig reader, KubeconfigTrust trust, KubeSettings client, InstantSource clock) {}
