// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.net;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.local.run.Commands;
import io.fathom.wire.kube.folder.ObjectName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives Services of type LoadBalancer an address on the machine, and carries what comes there to their pods. One
/// thread only.
public final class LoadBalancers {
    private static final Logger log = LoggerFactory.getLogger(LoadBalancers.class);

    private record Given(String address, Map<Integer, LoadBalancer> ports) {}

    private final Slot slot;
    private final Map<ObjectName, Given> given = new HashMap<>();

    public LoadBalancers(Slot slot) {
        this.slot = slot;
    }

    /// The address of a Service.
    ///
    /// @param ports of the Service, each with the pods' own
    /// @param pods the addresses of those that are ready
    public String of(ObjectName service, Map<Integer, Integer> ports, Supplier<List<String>> pods) {
        var there = given.computeIfAbsent(service, _ -> new Given(claim(), new HashMap<>()));
        for (var port : List.copyOf(there.ports().keySet())) {
            if (!ports.containsKey(port)) {
                Optional.ofNullable(there.ports().remove(port)).ifPresent(LoadBalancer::close);
            }
        }
        ports.forEach((port, target) -> {
            if (!there.ports().containsKey(port)) {
                try {
                    there.ports().put(port, LoadBalancer.start(there.address(), port, target, pods));
                } catch (IOException e) {
                    log.atWarn()
                            .addKeyValue("service", service)
                            .addKeyValue("port", port)
                            .setCause(e)
                            .log("no port");
                }
            }
        });
        return there.address();
    }

    private String claim() {
        var taken = given.values().stream().map(Given::address).toList();
        var address = IntStream.rangeClosed(1, Slot.BALANCERS)
                .mapToObj(slot::balancer)
                .filter(ip -> !taken.contains(ip))
                .findFirst()
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "no-balancer-address", "all addresses of load balancers are taken", "use fewer of them")));
        Commands.run("ip", "addr", "replace", address + "/32", "dev", slot.link());
        return address;
    }

    /// The others' addresses are free again.
    public void retain(Set<ObjectName> services) {
        for (var gone : new ArrayList<>(given.keySet())) {
            if (!services.contains(gone)) {
                Optional.ofNullable(given.remove(gone))
                        .ifPresent(it -> it.ports().values().forEach(LoadBalancer::close));
            }
        }
    }
}
