// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.kube.tree.Field;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/// What ServiceEntries and WorkloadEntries need beyond their form.
final class EntryChecks {
    private static final Pattern HOST = Pattern.compile(
            "(\\*\\.)?([a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?\\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.?");
    private static final String UNIX = "unix://";

    private EntryChecks() {}

    static void serviceEntry(Field object, Findings findings) {
        var spec = object.at("spec");
        findings.onEach(spec.at("hosts"), host -> host(host, spec, findings));
        findings.onEach(spec.at("addresses"), address -> {
            if (IpBlock.parse(address.text()).isEmpty()) {
                findings.refuse(
                        address,
                        "is \"" + address.text() + "\", which is neither an IP address nor a block",
                        "write it as 10.0.0.1 or 10.0.0.0/24");
            }
        });
        findings.on(spec.at("ports"), ports -> ports(ports, findings));
        findings.on(spec, _ -> resolution(spec, findings));
        findings.onEach(spec.at("endpoints"), endpoint -> endpoint(endpoint, spec, findings));
    }

    private static void host(Field host, Field spec, Findings findings) {
        var text = host.text();
        if (text.equals("*")) {
            findings.refuse(host, "is *, which would be every host", "write a domain, like *.example.com");
        } else if (!HOST.matcher(text).matches()) {
            findings.refuse(host, "is \"" + text + "\", which is no host name", "write it like api.example.com");
        } else if (text.startsWith("*")
                && spec.at("resolution").text().startsWith("DNS")
                && spec.at("endpoints").items().isEmpty()) {
            findings.refuse(
                    host,
                    "is a wildcard, which no name server can resolve",
                    "use resolution DYNAMIC_DNS or NONE, or list endpoints");
        }
    }

    private static void ports(Field ports, Findings findings) {
        var names = new HashSet<String>();
        var numbers = new HashSet<String>();
        for (var port : ports.items()) {
            distinct(port.at("name"), port.at("name").text(), names, findings);
            var number = port.at("number");
            if (number.isPresent()) {
                distinct(number, String.valueOf(number.requiredInteger(1, 65535)), numbers, findings);
            }
        }
    }

    private static void distinct(Field field, String value, Set<String> known, Findings findings) {
        if (!value.isEmpty() && !known.add(value)) {
            findings.refuse(field, "is " + value + ", as that of another port", "give each port its own");
        }
    }

    private static void resolution(Field spec, Findings findings) {
        var endpoints = !spec.at("endpoints").items().isEmpty();
        var selector = spec.at("workloadSelector").isPresent();
        if (endpoints && selector) {
            findings.refuse(spec.at("endpoints"), "cannot be used together with workloadSelector", "keep one of them");
        }
        switch (spec.at("resolution").text("NONE")) {
            case "NONE" -> {
                if (endpoints) {
                    findings.refuse(
                            spec.at("endpoints"),
                            "are never used with resolution NONE",
                            "write resolution: STATIC, or delete them");
                }
            }
            case "STATIC" -> {
                if (!endpoints && !selector) {
                    findings.warn("spec.endpoints: is missing, so with resolution STATIC nothing can be reached; list"
                            + " endpoints, or add a workloadSelector");
                }
            }
            default -> {}
        }
    }

    private static void endpoint(Field endpoint, Field spec, Findings findings) {
        var address = endpoint.at("address").text();
        if (spec.at("resolution").text().equals("STATIC")
                && !address.isEmpty()
                && !address.startsWith(UNIX)
                && Ip.parse(address).isEmpty()) {
            findings.refuse(
                    endpoint.at("address"),
                    "is \"" + address + "\", which is no IP address",
                    "write an IP address, or use resolution DNS");
        }
        address(endpoint, findings);
    }

    static void workloadEntry(Field object, Findings findings) {
        findings.on(object.at("spec"), spec -> address(spec, findings));
    }

    private static void address(Field entry, Findings findings) {
        var address = entry.at("address").text();
        if (address.isEmpty() && entry.at("network").text().isEmpty()) {
            findings.refuse(
                    entry.at("address"),
                    "is missing",
                    "write an IP address, or name the network it is reached through");
        } else if (address.startsWith(UNIX)) {
            findings.warn(entry.path() + ".address: ztunnel does not dial unix sockets: the endpoint is not reachable");
        } else if (!address.isEmpty()
                && Ip.parse(address).isEmpty()
                && !HOST.matcher(address).matches()) {
            findings.refuse(
                    entry.at("address"),
                    "is \"" + address + "\", which is neither an IP address nor a host name",
                    "write it as 10.0.0.1 or host.example.com");
        }
    }
}
