// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.model.mesh.Identity;
import io.fathom.model.peering.ControlPlanes;
import java.util.List;
import java.util.stream.Stream;

/// The names under which clients know the control plane.
final class ServingNames {
    private ServingNames() {}

    static List<String> of(FathomdConfig config) {
        var namespace = config.systemNamespace();
        var services = Stream.of("istiod", "istiod-remote", "istio-pilot", "istiod-" + config.revision(), "fathomd");
        return Stream.of(
                        services.flatMap(name -> Stream.of(name + "." + namespace + ".svc", name + "." + namespace)),
                        config.listening().customHosts().stream(),
                        Stream.of("localhost", "127.0.0.1", "::1"),
                        Stream.of(new Identity(config.mesh().trustDomain(), namespace, ControlPlanes.ACCOUNT).uri()))
                .flatMap(names -> names)
                .distinct()
                .toList();
    }
}
