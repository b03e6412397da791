// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// The ports of a gateway's Service: readiness, then one for each port that has a listener. Pure.
final class ServicePorts {
    private static final int LONGEST_NAME = 63;
    static final int STATUS = 15021;

    record DeployedPort(String name, int number, String appProtocol) {}

    private ServicePorts() {}

    static List<DeployedPort> of(List<Listener> listeners) {
        var ports = new ArrayList<DeployedPort>();
        var numbers = new HashSet<Integer>();
        var names = new HashSet<String>();
        ports.add(new DeployedPort("status-port", STATUS, "tcp"));
        numbers.add(STATUS);
        names.add("status-port");
        for (var listener : listeners) {
            if (numbers.add(listener.port())) {
                var name = unique(portName(listener), names);
                ports.add(new DeployedPort(
                        name, listener.port(), listener.protocol().toLowerCase(Locale.ROOT)));
            }
        }
        return ports;
    }

    /// What Kubernetes takes as the name of a port: letters, digits and dashes, at most 63.
    private static String portName(Listener listener) {
        var name = listener.name().replace('.', '-');
        return shortened(name, LONGEST_NAME);
    }

    private static String unique(String name, Set<String> taken) {
        var candidate = name;
        for (var number = 2; !taken.add(candidate); number++) {
            var suffix = "-" + number;
            candidate = shortened(name, LONGEST_NAME - suffix.length()) + suffix;
        }
        return candidate;
    }

    private static String shortened(String name, int length) {
        var cut = name.length() <= length ? name : name.substring(0, length);
        return cut.replaceAll("-+$", "");
    }
}
