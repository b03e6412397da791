// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.deploy.GatewayTables;
import io.fathom.control.envoy.EnvoyMesh;
import io.fathom.control.envoy.FormerWaypoints;
import io.fathom.control.status.MeshProblems;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Everything that follows from manifests: one flow, whose tables belong to several parts.
record DerivedMesh(AmbientMesh mesh, EnvoyMesh envoys, GatewayTables gateways, MeshProblems problems) {
    /// The tables of all parts are added while the flow is made.
    static DerivedMesh of(AmbientConfig config, InstantSource clock) {
        var made = new AtomicReference<@Nullable EnvoyMesh>();
        var deployed = new AtomicReference<@Nullable GatewayTables>();
        var found = new AtomicReference<@Nullable MeshProblems>();
        var mesh = new AmbientMesh(config, flow -> {
            var proxies = new EnvoyMesh(flow, clock, FormerWaypoints.Keeping.UNTIL_FORGOTTEN);
            var tables = new GatewayTables(flow);
            made.set(proxies);
            deployed.set(tables);
            found.set(new MeshProblems(flow, proxies.problems(), tables.statuses()));
        });
        return new DerivedMesh(
                mesh,
                Objects.requireNonNull(made.get()),
                Objects.requireNonNull(deployed.get()),
                Objects.requireNonNull(found.get()));
    }
}
