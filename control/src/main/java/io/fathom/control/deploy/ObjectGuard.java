// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.Set;

/// The last look at an object before it is applied: nothing may be written for a Gateway but what belongs to it. Pure.
final class ObjectGuard {
    private ObjectGuard() {}

    /// Throws a [ProblemException] for a kind that gateways are not made of, another namespace, or another's name.
    static PlannedObject admit(DeployedGateway gateway, GatewayProfile profile, Tree tree) {
        try {
            var root = Field.root(tree);
            var kindName = root.at("kind").text();
            var namespace = root.at("metadata").at("namespace").text();
            var name = root.at("metadata").at("name").text();
            var kind = Kinds.of(root.at("apiVersion").text(), kindName)
                    .orElseThrow(() -> refused(gateway, "a " + kindName + " is nothing that gateways are made of"));
            if (!namespace.equals(gateway.namespace())) {
                throw refused(gateway, kindName + " " + namespace + "/" + name + " is in another namespace");
            }
            if (!names(kind, gateway, profile).contains(name)) {
                throw refused(gateway, kindName + " " + namespace + "/" + name + " has a name that is not its own");
            }
            return new PlannedObject(kind, namespace, name, tree);
        } catch (MisreadException e) {
            throw refused(gateway, "an object makes no sense: " + e.getMessage());
        }
    }

    private static Set<String> names(Kinds kind, DeployedGateway gateway, GatewayProfile profile) {
        return kind == Kinds.SERVICE_ACCOUNT
                ? Set.of(gateway.serviceAccount(profile))
                : Set.of(gateway.objectName(profile));
    }

    private static ProblemException refused(DeployedGateway gateway, String why) {
        return new ProblemException(Problem.ofInput(
                "gateway-object-refused",
                "Gateway " + gateway.path() + " cannot be deployed: " + why,
                "leave apiVersion, kind, name and namespace as they are"));
    }
}
