// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.PodResolver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Where to ask, as `/etc/resolv.conf` says.
public record ResolvConf(List<IpPort> servers, List<String> searchDomains) {
    private static final int PORT = 53;

    public ResolvConf {
        servers = List.copyOf(servers);
        searchDomains = List.copyOf(searchDomains);
    }

    /// Never fails: lines that mean nothing are skipped, as resolvers do. The last `search` or `domain` counts.
    public static ResolvConf parse(String text) {
        var servers = new ArrayList<IpPort>();
        List<String> search = List.of();
        for (var line : text.lines().toList()) {
            var words = Arrays.asList(line.strip().split("\\s+"));
            switch (words.getFirst()) {
                case "nameserver" ->
                    words.stream()
                            .skip(1)
                            .limit(1)
                            .flatMap(ip -> Ip.parse(ip).stream())
                            .forEach(ip -> servers.add(new IpPort(ip, PORT)));
                case "search", "domain" ->
                    search = words.stream().skip(1).map(ResolvConf::plain).toList();
                default -> {}
            }
        }
        return new ResolvConf(servers, search);
    }

    /// The same for a pod that says something about DNS itself.
    public ResolvConf with(PodResolver pod) {
        var own = pod.nameServers().stream().map(ip -> new IpPort(ip, PORT)).toList();
        return new ResolvConf(PodResolver.merged(pod.role(), servers, own), searchDomains);
    }

    private static String plain(String domain) {
        var lower = domain.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }
}
