// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshView;
import io.fathom.wire.dns.DnsQuestion;
import io.fathom.wire.dns.DnsRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Decides what a name means to a client. Pure; addresses come in no particular order.
final class DnsAnswerer {
    private final DnsConfig config;
    private final String serviceSuffix;
    private final PodNames podNames;

    DnsAnswerer(DnsConfig config) {
        this.config = config;
        this.serviceSuffix = "." + config.serviceDomain();
        this.podNames = new PodNames(config);
    }

    DnsDecision decide(MeshView view, DnsClient client, DnsQuestion question) {
        var family = question.family();
        if (family.isEmpty()) {
            return DnsDecision.FORWARD;
        }
        for (var form : NameForms.of(question.name(), client, config)) {
            var known = known(view, client, form.name(), family.get());
            if (known.isPresent()) {
                return answer(question.name(), form.stripped(), known.get());
            }
            for (var wildcard : NameForms.wildcards(form.name())) {
                var service = service(view, client, wildcard);
                if (service.isPresent()) {
                    return answer(
                            question.name(), Optional.empty(), addresses(view, client, service.get(), family.get()));
                }
            }
        }
        return DnsDecision.FORWARD;
    }

    /// The addresses of a service or pod of exactly this name; empty if there is none.
    private Optional<List<Ip>> known(MeshView view, DnsClient client, String name, Ip.Family family) {
        return service(view, client, name)
                .map(service -> addresses(view, client, service, family))
                .or(() -> podNames.find(view, client, name, hostname -> service(view, client, hostname))
                        .map(ips -> isServed(family) ? ofFamily(ips, family) : List.of()));
    }

    private static DnsDecision answer(String asked, Optional<String> stripped, List<Ip> ips) {
        if (ips.isEmpty()) {
            return new DnsDecision.Answer(List.of());
        }
        var records = new ArrayList<DnsRecord>();
        var owner = stripped.orElse(asked);
        stripped.ifPresent(target -> records.add(new DnsRecord.Alias(asked, target)));
        ips.forEach(ip -> records.add(new DnsRecord.Host(owner, ip)));
        return new DnsDecision.Answer(records);
    }

    /// The service of a hostname that this client means: its own namespace's, else the canonical one, else that of the
    /// preferred namespace, else any. One without an address of its own counts only if it is a headless one of
    /// Kubernetes, which its domain tells.
    private Optional<Service> service(MeshView view, DnsClient client, String hostname) {
        Optional<Service> best = Optional.empty();
        var bestRank = -1;
        for (var service : view.servicesNamed(hostname)) {
            var rank = rank(service, client);
            if (rank > bestRank
                    && isVisible(service, client)
                    && (!vips(service).isEmpty() || service.hostname().endsWith(serviceSuffix))) {
                best = Optional.of(service);
                bestRank = rank;
            }
        }
        return best;
    }

    private int rank(Service service, DnsClient client) {
        if (service.namespace().equals(client.namespace())) {
            return 3;
        }
        if (service.canonical() == Service.Canonical.YES) {
            return 2;
        }
        return config.preferredNamespace().filter(service.namespace()::equals).isPresent() ? 1 : 0;
    }

    private static boolean isVisible(Service service, DnsClient client) {
        return service.visibility() == Service.Visibility.PUBLIC
                || service.namespace().equals(client.namespace());
    }

    static List<NetworkAddress> vips(Service service) {
        return service.addresses().stream()
                .filter(address -> address.block().isSingleAddress())
                .toList();
    }

    private List<Ip> addresses(MeshView view, DnsClient client, Service service, Ip.Family family) {
        if (!isServed(family) || !permits(service.ipFamilies(), family)) {
            return List.of();
        }
        var vips = vips(service);
        if (!vips.isEmpty()) {
            return ofFamily(
                    vips.stream()
                            .filter(vip -> vip.network().equals(client.network()))
                            .map(NetworkAddress::block)
                            .map(IpBlock::address)
                            .toList(),
                    family);
        }
        return view.endpoints(service.key()).stream()
                .map(Workload::addresses)
                .flatMap(ips -> ofFamily(ips, family).stream().limit(1))
                .toList();
    }

    private boolean isServed(Ip.Family family) {
        return family == Ip.Family.V4 || config.ipv6() == DnsConfig.Ipv6.ON;
    }

    private static boolean permits(Service.IpFamilies families, Ip.Family family) {
        return switch (families) {
            case IPV4_ONLY -> family == Ip.Family.V4;
            case IPV6_ONLY -> family == Ip.Family.V6;
            case AUTOMATIC, DUAL -> true;
        };
    }

    private static List<Ip> ofFamily(List<Ip> ips, Ip.Family family) {
        return ips.stream().filter(ip -> ip.family() == family).toList();
    }
}
