// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import java.util.List;

/// What all pods of a node have in common.
///
/// @param probeV4 the address that probes of the node come from, so that pods know them
/// @param probeV6 the same in IPv6
public record RuleContext(Families families, Ip probeV4, Ip probeV6, Reconcile reconcile) {
    private static final Ip DEFAULT_V4 = Ip.parse("169.254.7.127").orElseThrow();
    private static final Ip DEFAULT_V6 =
            Ip.parse("fd16:9254:7127:1337:ffff:ffff:ffff:ffff").orElseThrow();

    public RuleContext {
        if (probeV4.family() != Ip.Family.V4 || probeV6.family() != Ip.Family.V6) {
            throw new IllegalArgumentException("probe addresses of the wrong family: " + probeV4 + ", " + probeV6);
        }
    }

    /// Which IP versions are captured.
    public enum Families {
        V4,
        V4_AND_V6;

        public List<Ip.Family> list() {
            return this == V4 ? List.of(Ip.Family.V4) : List.of(Ip.Family.V4, Ip.Family.V6);
        }
    }

    /// What to do about a pod that has other rules of the mesh than it should.
    public enum Reconcile {
        /// Replace them. Nothing passes meanwhile.
        REPAIR,
        /// Leave them and complain.
        REFUSE
    }

    /// With the well-known addresses, and repairing.
    public static RuleContext of(Families families) {
        return new RuleContext(families, DEFAULT_V4, DEFAULT_V6, Reconcile.REPAIR);
    }

    public RuleContext withProbes(Ip v4, Ip v6) {
        return new RuleContext(families, v4, v6, reconcile);
    }

    public RuleContext withReconcile(Reconcile other) {
        return new RuleContext(families, probeV4, probeV6, other);
    }

    Ip probe(Ip.Family family) {
        return family == Ip.Family.V4 ? probeV4 : probeV6;
    }
}
