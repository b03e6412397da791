// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.meshconfig.MeshTraffic.PathNormalization;
import io.fathom.wire.kube.networking.VirtualServiceHttp;
import io.fathom.wire.kube.traffic.LoadBalancerReader;
import io.fathom.wire.kube.traffic.TrafficPolicyReader;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;

/// Reads what the mesh configuration says of traffic.
final class MeshTrafficReader {
    private static final Choices<PathNormalization> PATHS =
            Choices.of(PathNormalization.class, PathNormalization::name).or("DEFAULT", PathNormalization.BASE);

    private MeshTrafficReader() {}

    static MeshTraffic read(Field mesh) {
        return new MeshTraffic(
                Durations.decimal(mesh.at("protocolDetectionTimeout")),
                Durations.decimal(mesh.at("connectTimeout")),
                mesh.at("pathNormalization").at("normalization").oneOf(PATHS, PathNormalization.BASE),
                VirtualServiceHttp.retries(mesh.at("defaultHttpRetryPolicy")),
                TrafficPolicyReader.present(mesh.at("localityLbSetting"), LoadBalancerReader::locality),
                TrafficPolicyReader.present(mesh.at("tcpKeepalive"), TrafficPolicyReader::keepalive),
                TrafficPolicyReader.upgrade(mesh.at("h2UpgradePolicy")));
    }
}
