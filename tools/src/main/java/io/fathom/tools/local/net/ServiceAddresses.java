// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.net;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.folder.ObjectName;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/// Gives Services that have no address of their own one for as long as they are there. One thread only.
public final class ServiceAddresses {
    private final Slot slot;
    private final Map<ObjectName, String> given = new HashMap<>();

    public ServiceAddresses(Slot slot) {
        this.slot = slot;
    }

    public String of(ObjectName service) {
        return given.computeIfAbsent(service, _ -> free());
    }

    /// The others' addresses are free again.
    public void retain(Collection<ObjectName> services) {
        given.keySet().retainAll(services);
    }

    private String free() {
        return IntStream.rangeClosed(1, Slot.LAST)
                .mapToObj(slot::service)
                .filter(ip -> !given.containsValue(ip))
                .findFirst()
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "no-service-address", "all Service addresses are taken", "use fewer Services")));
    }
}
