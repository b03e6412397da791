// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.netns;

import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.model.mesh.Ip;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A folder with a namespace for each pod, named by the pod's UID: for machines without kubelet. Whoever keeps the
/// folder is believed.
public record NamespaceFolder(Path folder) implements NamespaceFinder {
    private static final Logger log = LoggerFactory.getLogger(NamespaceFolder.class);

    @Override
    public Map<String, NetworkNamespace> find(Map<String, Set<Ip>> pods) {
        var found = new HashMap<String, NetworkNamespace>();
        for (var uid : pods.keySet()) {
            var path = folder.resolve(uid);
            if (uid.indexOf('/') < 0 && Files.exists(path)) {
                try {
                    found.put(uid, NetworkNamespace.open(path));
                } catch (PosixException e) {
                    log.atDebug().addKeyValue("path", path).log("no namespace: {}", e.getMessage());
                }
            }
        }
        return found;
    }
}
