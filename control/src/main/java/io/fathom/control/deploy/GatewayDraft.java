// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// What a Gateway would become in a cluster, for those who play one: the very objects that the controller applies
/// there.
///
/// @param reach how clients get to it
/// @param account that its proxies run as
/// @param deployment with the pod's template
public record GatewayDraft(GatewayReach reach, String account, Tree deployment, Tree service) {
    /// How clients get to a gateway.
    public enum GatewayReach {
        /// By the address of its Service, inside of the cluster.
        INSIDE,
        /// Through a load balancer, from anywhere.
        LOAD_BALANCER
    }

    /// Empty for a Gateway whose proxies are not ours to run.
    ///
    /// @param gateway as people wrote it
    /// @param configMaps the data of those in its namespace, for its `parametersRef`
    /// @throws ProblemException when it asks for what cannot be had
    public static Optional<GatewayDraft> of(
            Tree gateway,
            String trustDomain,
            DeploySettings settings,
            Function<String, Optional<Map<String, String>>> configMaps) {
        return read(gateway)
                .flatMap(own -> GatewayProfile.of(own.className(), Optional.empty())
                        .flatMap(profile -> of(
                                new DeployedGateway(own, own.listeners()),
                                profile,
                                overlays(own, configMaps),
                                trustDomain,
                                settings)));
    }

    private static List<Overlay> overlays(
            GatewayManifest gateway, Function<String, Optional<Map<String, String>>> configMaps) {
        return gateway.infrastructure().parameters().stream()
                .map(reference -> Overlay.of(gateway, reference, configMaps.apply(reference.name())))
                .toList();
    }

    private static Optional<GatewayDraft> of(
            DeployedGateway gateway,
            GatewayProfile profile,
            List<Overlay> overlays,
            String trustDomain,
            DeploySettings settings) {
        var plan = new GatewayPlanner(settings)
                .plan(gateway, profile, overlays, new MeshFacts(settings.network(), trustDomain));
        return switch (plan) {
            case Plan.Nothing _ -> Optional.empty();
            case Plan.Refused refused -> throw new ProblemException(refused.problem());
            case Plan.Deploy deploy -> Optional.of(draft(gateway, profile, deploy.objects()));
        };
    }

    /// Empty when it makes no sense to us.
    static Optional<GatewayManifest> read(Tree gateway) {
        return new ManifestReader(ReaderConfig.of("", "", ""))
                .read(gateway, _ -> Instant.EPOCH).stream()
                        .flatMap(reading ->
                                reading instanceof Reading.Good good && good.manifest() instanceof GatewayManifest own
                                        ? Stream.of(own)
                                        : Stream.empty())
                        .findFirst();
    }

    private static GatewayDraft draft(DeployedGateway gateway, GatewayProfile profile, List<PlannedObject> objects) {
        return new GatewayDraft(
                profile.serviceType().equals("LoadBalancer") ? GatewayReach.LOAD_BALANCER : GatewayReach.INSIDE,
                gateway.serviceAccount(profile),
                tree(objects, Kinds.DEPLOYMENT),
                tree(objects, Kinds.SERVICE));
    }

    private static Tree tree(List<PlannedObject> objects, Kinds kind) {
        return objects.stream()
                .filter(object -> object.kind() == kind)
                .findFirst()
                .orElseThrow()
                .tree();
    }
}
