// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All names that a name may stand for. Pure.
final class NameForms {
    private NameForms() {}

    /// A name to look for.
    ///
    /// @param stripped the name as the client meant it, if a search domain was taken off
    record Form(String name, Optional<String> stripped) {}

    /// In the order they are to be tried, each once.
    static List<Form> of(String name, DnsClient client, DnsConfig config) {
        var forms = new LinkedHashMap<String, Form>();
        add(forms, name, Optional.empty(), client, config);
        for (var domain : client.searchDomains()) {
            if (name.length() > domain.length() + 1 && name.endsWith("." + domain)) {
                var stripped = name.substring(0, name.length() - domain.length() - 1);
                add(forms, stripped, Optional.of(stripped), client, config);
            }
        }
        return List.copyOf(forms.values());
    }

    private static void add(
            Map<String, Form> forms, String name, Optional<String> stripped, DnsClient client, DnsConfig config) {
        forms.putIfAbsent(name, new Form(name, stripped));
        for (var expanded : expansions(name, client, config)) {
            forms.putIfAbsent(expanded, new Form(expanded, stripped));
        }
    }

    /// What Kubernetes would take a short name for.
    private static List<String> expansions(String name, DnsClient client, DnsConfig config) {
        var inService = "." + config.serviceDomain();
        var inNamespace = "." + client.namespace() + inService;
        var inDomain = "." + config.clusterDomain();
        var endsWithSvc = name.endsWith(".svc");
        return switch (labels(name)) {
            case 1 -> List.of(name + inNamespace);
            case 2 -> List.of(name + inService, name + inNamespace);
            case 3 -> endsWithSvc ? List.of(name + inDomain, name + inService) : List.of(name + inService);
            case 4 -> endsWithSvc ? List.of(name + inDomain) : List.of();
            default -> List.of();
        };
    }

    private static int labels(String name) {
        return name.isEmpty() ? 0 : 1 + (int) name.chars().filter(c -> c == '.').count();
    }

    /// `*.b.c` and `*.c` of `a.b.c`.
    static List<String> wildcards(String name) {
        var wildcards = new ArrayList<String>();
        for (var dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
            wildcards.add("*" + name.substring(dot));
        }
        return wildcards;
    }
}
