// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.tools.link.FolderAccess;
import io.fathom.tools.link.Linker;
import io.fathom.tools.link.LocalClusterFile;
import io.fathom.tools.local.net.Slot;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;

/// What one of several clusters has before anything runs in it: the objects that say which network it is on and which
/// services all clusters share, its east-west gateway, and a file by which tools find it.
final class ClusterFiles {
    private ClusterFiles() {}

    static void prepare(EngineConfig config, ClusterRole role, Slot slot, Programs.ProgramPorts ports)
            throws IOException {
        var run = config.run();
        Files.createDirectories(run.applied());
        Files.writeString(Files.createDirectories(run.defaults()).resolve("mesh.yaml"), """
                apiVersion: v1
                kind: Namespace
                metadata: {name: istio-system, labels: {topology.istio.io/network: %s}}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: istio, namespace: istio-system}
                data:
                  mesh: |
                    serviceScopeConfigs:
                    - {servicesSelector: {matchLabels: {istio.io/global: "true"}}, scope: GLOBAL}
                """.formatted(role.network()));
        var folders = new ArrayList<>(config.folders());
        folders.add(run.objects());
        new LocalClusterFile(
                        role.id(),
                        folders,
                        run.applied(),
                        ports.http(),
                        slot.machine() + ":" + ports.tls(),
                        run.rootCertificate())
                .write(run.root());
        try (var access = new FolderAccess(role.id(), run.root())) {
            Linker.expose(access);
        }
    }
}
