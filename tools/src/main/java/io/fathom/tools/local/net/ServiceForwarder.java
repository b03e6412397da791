// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.net;

import io.fathom.base.lang.ProblemException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the rules of [ServiceRules] on all nodes as they should be. One thread only.
public final class ServiceForwarder {
    private static final Logger log = LoggerFactory.getLogger(ServiceForwarder.class);

    private final LocalNetwork network;
    private final Map<Integer, String> written = new HashMap<>();

    public ServiceForwarder(LocalNetwork network) {
        this.network = network;
    }

    /// A node that does not take them is left alone until they change: only those miss them whom no proxy captures.
    public void forward(List<ServiceRules.Forwarding> forwardings) {
        for (int node = 0; node < network.nodes(); node++) {
            var rules = ServiceRules.of(network.slot(), node, forwardings);
            if (!rules.equals(written.put(node, rules))) {
                try {
                    network.filter(node, rules);
                } catch (ProblemException e) {
                    log.atWarn().addKeyValue("problem", e.problem()).log("Services are not reachable for all");
                }
            }
        }
    }
}
