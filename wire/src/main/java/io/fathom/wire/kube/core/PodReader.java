// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.PodResolver;
import io.fathom.wire.kube.core.PodManifest.ContainerPort;
import io.fathom.wire.kube.core.PodManifest.Owner;
import io.fathom.wire.kube.core.PodManifest.Phase;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads Pods, the kind there are most of.
public final class PodReader implements KindReader {
    private static final Choices<Phase> PHASES = Choices.of(Phase.class, phase -> switch (phase) {
        case PENDING -> "Pending";
        case RUNNING -> "Running";
        case SUCCEEDED -> "Succeeded";
        case FAILED -> "Failed";
        case UNKNOWN -> "Unknown";
    });

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        var status = object.at("status");
        return new PodManifest(
                metadata,
                status.at("phase").oneOf(PHASES, Phase.PENDING),
                isReady(status),
                ips(status),
                interner.text(spec.at("nodeName").text()),
                interner.text(account(spec)),
                spec.at("hostNetwork").flag(),
                interner.list(ports(spec, interner)),
                controller(object.at("metadata"), interner),
                interner.text(object.at("metadata").at("generateName").text()),
                resolver(spec, interner));
    }

    private static PodResolver resolver(Field spec, Interner interner) {
        var config = spec.at("dnsConfig");
        var alone = spec.at("dnsPolicy").text().equals("None");
        if (!config.isPresent() && !alone) {
            return PodResolver.NONE;
        }
        var servers = config.at("nameservers").items().stream()
                .flatMap(server -> Ip.parse(server.text()).stream())
                .toList();
        var role = alone ? PodResolver.Role.ALONE : PodResolver.Role.ADDED;
        return interner.record(new PodResolver(servers, config.at("searches").texts(), role));
    }

    /// The older name of the field still counts, and the API server fills in both.
    private static String account(Field spec) {
        var account =
                spec.at("serviceAccountName").text(spec.at("serviceAccount").text());
        return account.isEmpty() ? "default" : account;
    }

    private static boolean isReady(Field status) {
        for (var condition : status.at("conditions").items()) {
            if (condition.at("type").text().equals("Ready")) {
                return condition.at("status").text().equals("True");
            }
        }
        return false;
    }

    private static List<Ip> ips(Field status) {
        var ips = new ArrayList<Ip>(2);
        for (var podIp : status.at("podIPs").items()) {
            Ip.parse(podIp.at("ip").text()).ifPresent(ips::add);
        }
        if (!status.at("podIPs").isPresent() || status.at("podIPs").items().isEmpty()) {
            Ip.parse(status.at("podIP").text()).ifPresent(ips::add);
        }
        return ips;
    }

    private static List<ContainerPort> ports(Field spec, Interner interner) {
        var ports = new ArrayList<ContainerPort>();
        for (var container : spec.at("containers").items()) {
            addPorts(container, interner, ports);
        }
        for (var container : spec.at("initContainers").items()) {
            if (container.at("restartPolicy").text().equals("Always")) {
                addPorts(container, interner, ports);
            }
        }
        return ports;
    }

    private static void addPorts(Field container, Interner interner, List<ContainerPort> ports) {
        for (var port : container.at("ports").items()) {
            ports.add(interner.record(new ContainerPort(
                    port.at("name").text(),
                    Ports.number(port.at("containerPort")),
                    Ports.transport(port.at("protocol")))));
        }
    }

    private static Optional<Owner> controller(Field metadata, Interner interner) {
        for (var owner : metadata.at("ownerReferences").items()) {
            if (owner.at("controller").flag()) {
                return Optional.of(interner.record(
                        new Owner(owner.at("kind").text(), owner.at("name").text())));
            }
        }
        return Optional.empty();
    }
}
