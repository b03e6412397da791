// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.control.envoy.extension.FilterReview;
import io.fathom.control.envoy.ingress.ServerReview;
import io.fathom.control.envoy.policy.PolicyRemarks;
import io.fathom.control.envoy.route.VirtualServiceReview;
import io.fathom.control.envoy.telemetry.TelemetryReview;
import io.fathom.control.envoy.view.Remark;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import java.util.List;

/// What can be told from an object alone about what Envoys will make of it: before it is stored, in the same words as
/// afterwards. Pure.
public final class Remarks {
    private Remarks() {}

    public static List<Remark> of(Manifest manifest) {
        return switch (manifest) {
            case AuthorizationPolicyManifest policy -> PolicyRemarks.of(policy);
            case RequestAuthenticationManifest policy -> PolicyRemarks.of(policy);
            case VirtualServiceManifest rules -> VirtualServiceReview.remarks(rules);
            case TelemetryManifest telemetry -> TelemetryReview.remarks(telemetry);
            case IstioGatewayManifest gateway -> ServerReview.remarks(gateway);
            case EnvoyFilterManifest filter -> FilterReview.remarks(filter);
            default -> List.of();
        };
    }
}
