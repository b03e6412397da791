// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.Service.Visibility;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// A ServiceEntry that can be served: all its addresses make sense and somebody may see it.
///
/// @param addresses what its spec says, host bits cleared
public record Entry(ServiceEntryManifest manifest, List<IpBlock> addresses, Visibility visibility) {
    /// Empty when any address is neither an IP nor a block: half a service would be worse than none.
    public static Optional<List<IpBlock>> parseAddresses(ServiceEntryManifest manifest) {
        var blocks = new ArrayList<IpBlock>(manifest.addresses().size());
        for (var text : manifest.addresses()) {
            var block = IpBlock.parse(text);
            if (block.isEmpty()) {
                return Optional.empty();
            }
            blocks.add(block.get().masked());
        }
        return Optional.of(List.copyOf(blocks));
    }

    /// A host written twice counts once.
    public List<String> hosts() {
        return manifest.hosts().stream().distinct().toList();
    }

    /// The resource name of one of its hosts.
    public String keyOf(String host) {
        return manifest.namespace() + "/" + host;
    }

    public Set<String> hostKeys() {
        var keys = new TreeSet<String>();
        manifest.hosts().forEach(host -> keys.add(keyOf(host)));
        return keys;
    }

    public Metadata metadata() {
        return manifest.metadata();
    }
}
