// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static io.fathom.control.deploy.GatewayStatus.no;
import static io.fathom.control.deploy.GatewayStatus.yes;
import static io.fathom.control.deploy.Maps.map;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import io.fathom.wire.kube.tree.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks after GatewayClasses: those of ours exist, and all that name a controller of ours say that it is there.
///
/// A class that exists is never changed, only its status. Any thread.
final class ClassKeeper {
    private static final Logger log = LoggerFactory.getLogger(ClassKeeper.class);
    private static final String DEFINITION = "gatewayclasses." + GatewayLabels.GATEWAY_API;

    private final KubeClient client;
    private final DeploySettings settings;
    private final BooleanSupplier severalNetworks;

    /// @param severalNetworks whether there are some now
    ClassKeeper(KubeClient client, DeploySettings settings, BooleanSupplier severalNetworks) {
        this.client = client;
        this.settings = settings;
        this.severalNetworks = severalNetworks;
    }

    /// Makes a class of ours that is not there.
    void create(String name, Optional<GatewayClassManifest> found) {
        var profile = Arrays.stream(GatewayProfile.values())
                .filter(known -> known.className().equals(name) && isWanted(known))
                .findFirst();
        if (found.isPresent() || profile.isEmpty() || !settings.has(DeploySettings.Option.CLASSES)) {
            return;
        }
        var tree = Json.of(map(
                "apiVersion", Kinds.GATEWAY_CLASSES.apiVersion(),
                "kind", "GatewayClass",
                "metadata", map("name", name),
                "spec",
                        map(
                                "controllerName", profile.get().controller(),
                                "description", profile.get().description())));
        try {
            client.create(Kinds.GATEWAY_CLASSES, "", tree);
            log.atInfo().addKeyValue("class", name).log("class of gateways created");
        } catch (ProblemException e) {
            if (!e.problem().code().equals("kube-conflict")) { // somebody was faster
                throw e;
            }
        }
    }

    private boolean isWanted(GatewayProfile profile) {
        return profile != GatewayProfile.EAST_WEST || severalNetworks.getAsBoolean();
    }

    /// Says that a class of ours is accepted.
    void report(String name, GatewayClassManifest found, Instant now) {
        if (Arrays.stream(GatewayProfile.values())
                .noneMatch(profile -> profile.controller().equals(found.controllerName()))) {
            return;
        }
        var conditions = new ArrayList<StatusCondition>();
        conditions.add(yes("Accepted", "Accepted", "the controller of this class is there"));
        supported().ifPresent(conditions::add);
        client.get(Kinds.GATEWAY_CLASSES, "", name)
                .ifPresent(object -> StatusWriter.write(
                        client,
                        Kinds.GATEWAY_CLASSES,
                        "GatewayClass",
                        object,
                        StatusTree.of(
                                List.copyOf(conditions),
                                StatusWriter.generation(object),
                                StatusWriter.status(object),
                                now)));
    }

    /// Whether the installed Gateway API is one that we know. Empty when we may not look, or it does not say.
    private Optional<StatusCondition> supported() {
        try {
            return client.get(Kinds.DEFINITIONS, "", DEFINITION)
                    .map(definition -> definition
                            .metadata()
                            .at("annotations")
                            .at(GatewayLabels.BUNDLE_VERSION)
                            .text())
                    .filter(version -> !version.isEmpty())
                    .map(version -> version.matches("v1\\.\\d.*")
                            ? yes("SupportedVersion", "SupportedVersion", "Gateway API " + version + " is supported")
                            : no(
                                    "SupportedVersion",
                                    "UnsupportedVersion",
                                    "Gateway API " + version + " is not known here; install v1"));
        } catch (ProblemException e) {
            if (e.problem().code().equals("kube-forbidden")) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
