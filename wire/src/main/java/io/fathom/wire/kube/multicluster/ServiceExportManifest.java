// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.multicluster;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.Map;

/// A ServiceExport: the Service of the same name may be called by all clusters.
///
/// @param exportedLabels that the ServiceImport shall have
/// @param exportedAnnotations likewise
public record ServiceExportManifest(
        Metadata metadata, Map<String, String> exportedLabels, Map<String, String> exportedAnnotations)
        implements Manifest {
    public static final String GROUP = "multicluster.x-k8s.io";

    public ServiceExportManifest {
        exportedLabels = Map.copyOf(exportedLabels);
        exportedAnnotations = Map.copyOf(exportedAnnotations);
    }
}
