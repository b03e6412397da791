// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.workload.AddressCodec;
import io.fathom.wire.workload.AuthorizationCodec;

/// Resources as model values; refuses those that a node proxy cannot honour. For one thread.
final class ResourceDecoder {
    private final Shared shared = new Shared();

    /// A workload or service.
    ///
    /// @throws ProblemException that says what is wrong with it
    Address address(Resource resource) {
        var address = AddressCodec.decode(resource.getResource().getValue().toByteArray());
        switch (address) {
            case Workload workload -> check(workload);
            case Service service -> check(service);
        }
        checkName(resource, address.resourceName());
        return address instanceof Workload workload ? shared.workload(workload) : address;
    }

    /// A policy.
    ///
    /// @throws ProblemException that says what is wrong with it
    static Authorization authorization(Resource resource) {
        var policy = AuthorizationCodec.decode(resource.getResource().getValue().toByteArray());
        checkName(resource, policy.key());
        return policy;
    }

    private static void check(Workload workload) {
        if (workload.uid().isEmpty()) {
            throw refused("the workload has no uid");
        }
        if (workload.tunnelProtocol() == Workload.TunnelProtocol.LEGACY_ISTIO_MTLS) {
            throw refused("a node proxy does not speak LEGACY_ISTIO_MTLS");
        }
        for (var key : workload.services().keySet()) {
            if (key.indexOf('/') < 0) {
                throw refused("service \"" + key + "\" is not named namespace/hostname");
            }
        }
    }

    private static void check(Service service) {
        if (service.loadBalancing().preference().contains(LoadBalancing.Scope.UNSPECIFIED)) {
            throw refused("a routing preference is not specified");
        }
    }

    /// What is removed later is removed by this name.
    private static void checkName(Resource resource, String name) {
        if (!resource.getName().equals(name)) {
            throw refused("it describes " + name);
        }
    }

    private static ProblemException refused(String reason) {
        return new ProblemException(new Problem(
                "workload-api-refused",
                reason,
                "check that both sides speak the same version of the Workload API",
                Problem.Origin.SERVER,
                Problem.Retry.POINTLESS));
    }
}
