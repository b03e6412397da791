// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static io.fathom.control.deploy.Maps.map;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.deploy.PlannedObject.ObjectName;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Json;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the objects of Gateways. Any thread; one Gateway must not be deployed by two at a time.
///
/// An object is written when it is to be different, or when somebody else changed it; one that exists without our mark
/// is never touched.
final class Deployer {
    private static final Logger log = LoggerFactory.getLogger(Deployer.class);

    /// A newer controller writes a higher number, and older ones keep off from then on.
    static final int VERSION = 5;

    private final KubeClient client;
    private final Map<ObjectName, Applied> applied = new ConcurrentHashMap<>();

    /// What we wrote, and what it became.
    private record Applied(Target gateway, Fingerprint wanted, Fingerprint found) {}

    Deployer(KubeClient client) {
        this.client = client;
    }

    /// Why it is not all there, if so and if trying again does not help.
    ///
    /// @param owned what is deployed for it now
    /// @throws ProblemException when trying again may help
    Optional<Problem> deploy(DeployedGateway gateway, Plan plan, Map<ObjectName, Owned> owned) {
        if (!(plan instanceof Plan.Deploy deploy)) {
            return plan instanceof Plan.Refused refused ? Optional.of(refused.problem()) : Optional.empty();
        }
        if (!isOurVersion(gateway)) {
            return Optional.empty();
        }
        Optional<Problem> problem = Optional.empty();
        for (var object : deploy.objects()) {
            var failure = apply(gateway, object, Optional.ofNullable(owned.get(object.id())));
            problem = problem.or(() -> failure);
        }
        prune(gateway, deploy, owned);
        return problem;
    }

    /// Marks a Gateway as ours; false when a newer controller looks after it.
    private boolean isOurVersion(DeployedGateway gateway) {
        var text = gateway.annotations().get(GatewayLabels.CONTROLLER_VERSION);
        var version = text == null ? Optional.of(0) : number(text);
        if (version.isEmpty() || version.get() > VERSION) {
            log.atDebug().addKeyValue("gateway", gateway.path()).log("a newer controller looks after it");
            return false;
        }
        if (version.get() < VERSION) {
            var mark = Json.of(map(
                    "apiVersion", Kinds.GATEWAYS.apiVersion(),
                    "kind", "Gateway",
                    "metadata",
                            map(
                                    "name", gateway.name(),
                                    "namespace", gateway.namespace(),
                                    "uid", gateway.uid(), // never makes one that was deleted meanwhile
                                    "annotations", map(GatewayLabels.CONTROLLER_VERSION, String.valueOf(VERSION)))));
            client.apply(Kinds.GATEWAYS, gateway.namespace(), gateway.name(), mark, GatewayLabels.MANAGER);
        }
        return true;
    }

    private static Optional<Integer> number(String text) {
        return text.matches("[0-9]{1,9}") ? Optional.of(Integer.parseInt(text)) : Optional.empty();
    }

    private Optional<Problem> apply(DeployedGateway gateway, PlannedObject object, Optional<Owned> found) {
        var wanted = Fingerprint.of(object.tree());
        var before = applied.get(object.id());
        if (found.isPresent()
                && before != null
                && before.wanted().equals(wanted)
                && before.found().equals(found.get().fingerprint())) {
            return Optional.empty();
        }
        if (found.isEmpty()) {
            var foreign = foreign(gateway, object);
            if (foreign.isPresent()) {
                applied.remove(object.id());
                // Whoever made the account wants the proxies to have it.
                return object.kind() == Kinds.SERVICE_ACCOUNT ? Optional.empty() : foreign;
            }
        }
        try {
            var result = client.apply(
                    object.kind().resource(), object.namespace(), object.name(), object.tree(), GatewayLabels.MANAGER);
            applied.put(object.id(), new Applied(target(gateway), wanted, Fingerprint.of(result)));
            return Optional.empty();
        } catch (ProblemException e) {
            applied.remove(object.id());
            if (e.problem().retry() == Problem.Retry.POINTLESS) {
                log.atWarn()
                        .addKeyValue("gateway", gateway.path())
                        .addKeyValue("problem", e.problem())
                        .log("an object of a gateway is refused");
                return Optional.of(e.problem());
            }
            throw e;
        }
    }

    /// That an object of that name is somebody else's.
    private Optional<Problem> foreign(DeployedGateway gateway, PlannedObject object) {
        return client.get(object.kind().resource(), object.namespace(), object.name())
                .filter(found -> isForeign(gateway, found))
                .map(_ -> foreign(gateway.path(), object.id()));
    }

    /// Without our mark, or with the name of another Gateway: two must not fight over one object.
    static boolean isForeign(DeployedGateway gateway, KubeObject object) {
        var labels = object.metadata().at("labels");
        return !labels.at(GatewayLabels.MANAGED).isPresent()
                || !labels.at(GatewayLabels.GATEWAY_NAME).text().equals(gateway.name());
    }

    static Problem foreign(String gateway, ObjectName object) {
        return Problem.ofInput(
                "gateway-object-foreign",
                object + " stands in the way of Gateway " + gateway + ": it belongs to somebody else",
                "delete or rename it, or give the Gateway's objects another name with annotation "
                        + GatewayLabels.NAME_OVERRIDE);
    }

    /// What only an overlay asked for goes with it.
    private void prune(DeployedGateway gateway, Plan.Deploy deploy, Map<ObjectName, Owned> owned) {
        var planned = deploy.objects().stream().map(PlannedObject::id).toList();
        owned.forEach((name, object) -> {
            if (name.kind().isOptional() && object.ownerUid().equals(gateway.uid()) && !planned.contains(name)) {
                client.delete(name.kind().resource(), name.namespace(), name.name());
                applied.remove(name);
            }
        });
    }

    private static Target target(DeployedGateway gateway) {
        return new Target(gateway.namespace(), gateway.name());
    }

    /// It is gone; what was deployed for it goes with it.
    void forget(Target gateway) {
        applied.values().removeIf(written -> written.gateway().equals(gateway));
    }

    /// Forgets what was written: others may have been at it meanwhile.
    void forget() {
        applied.clear();
    }
}
