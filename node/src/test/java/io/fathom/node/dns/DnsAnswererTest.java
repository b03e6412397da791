// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.PodResolver;
import io.fathom.model.mesh.Service.Canonical;
import io.fathom.model.mesh.Service.IpFamilies;
import io.fathom.model.mesh.Service.Visibility;
import io.fathom.model.routing.MeshView;
import io.fathom.wire.dns.DnsQuestion;
import io.fathom.wire.dns.DnsRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The cases 79 to 87 and 89 of the node proxy: a client in namespace ns1 of network nw1.
class DnsAnswererTest {
    private static final DnsConfig CONFIG = DnsConfig.of("cluster.local");
    private static final DnsClient CLIENT =
            new DnsClient("ns1", "nw1", List.of("ns1.svc.cluster.local", "svc.cluster.local", "cluster.local"));

    private static final MeshView MESH = new Mesh()
            .service("ns1", "productpage.ns1.svc.cluster.local", "nw1/9.9.9.9")
            .service("ns3", "productpage.ns3.svc.cluster.local", "nw1/10.10.10.10")
            .service("ns1", "details.ns1.svc.cluster.local", "nw2/11.11.11.11")
            .service("ns1", "reviews.ns1.svc.cluster.local", "nw1/12.12.12.12", "nw1/13.13.13.13", "nw2/14.14.14.14")
            .service("ns1", "both.ns1.svc.cluster.local", "nw1/21.21.21.21", "nw1/fd00::21")
            .service("ns1", "www.google.com", "nw1/1.1.1.1")
            .service("ns1", "*.example.com", "nw1/3.3.3.3")
            .service("ns1", "*.svc.mesh.company.net", "nw1/4.4.4.4")
            .service("ns1", "*.company.net", "nw1/5.5.5.5")
            .service("ns1", "*.cluster.local.example.org", "nw1/6.6.6.6")
            .service("ns1", "headless.ns1.svc.cluster.local")
            .service("ns1", "headless-v6.ns1.svc.cluster.local", Canonical.NO, Visibility.PUBLIC, IpFamilies.IPV6_ONLY)
            .service("ns1", "external.without.address")
            .service("ns1", "range.only", "nw1/240.0.0.0/24")
            .service("ns2", "shared.com", "nw1/7.7.7.2")
            .service("ns1", "shared.com", "nw1/7.7.7.1")
            .service("ns2", "canonical.com", "nw1/8.8.8.2")
            .service("ns3", "canonical.com", Canonical.YES, Visibility.PUBLIC, IpFamilies.AUTOMATIC, "nw1/8.8.8.3")
            .service("ns2", "preferred.com", "nw1/8.8.7.2")
            .service("pref", "preferred.com", "nw1/8.8.7.9")
            .service("ns2", "hidden.com", Canonical.YES, Visibility.NAMESPACE, IpFamilies.AUTOMATIC, "nw1/6.6.6.2")
            .service("ns1", "mine.com", Canonical.NO, Visibility.NAMESPACE, IpFamilies.AUTOMATIC, "nw1/6.6.6.1")
            .pod("ns1", "pod-0", List.of("ns1/headless.ns1.svc.cluster.local"), "30.30.30.30", "2001:db8::30")
            .pod("ns1", "pod-1", List.of("ns1/headless.ns1.svc.cluster.local"), "31.31.31.31")
            .pod("ns1", "dual", List.of("ns1/headless-v6.ns1.svc.cluster.local"), "33.33.33.33", "2001:db8::33")
            .view();

    static Stream<Arguments> answers() {
        return Stream.of(
                // 80: the forms of a Kubernetes name
                argumentSet("a short name of the own namespace", "productpage", "A", "9.9.9.9"),
                argumentSet("name and namespace", "productpage.ns1", "A", "9.9.9.9"),
                argumentSet("name, namespace, svc", "productpage.ns1.svc", "A", "9.9.9.9"),
                argumentSet("the full name", "productpage.ns1.svc.cluster.local", "A", "9.9.9.9"),
                argumentSet("another namespace's name", "productpage.ns3", "A", "10.10.10.10"),
                argumentSet("another namespace's full name", "productpage.ns3.svc.cluster.local", "A", "10.10.10.10"),
                argumentSet("several addresses", "reviews", "A", "12.12.12.12 13.13.13.13"),
                argumentSet("a name outside the cluster", "www.google.com", "A", "1.1.1.1"),
                argumentSet("an IPv6 address", "both", "AAAA", "fd00::21"),
                // 81: search domains
                argumentSet(
                        "a search domain appended",
                        "www.google.com.ns1.svc.cluster.local",
                        "A",
                        "www.google.com.ns1.svc.cluster.local>www.google.com 1.1.1.1"),
                argumentSet(
                        "another search domain appended",
                        "www.google.com.cluster.local",
                        "A",
                        "www.google.com.cluster.local>www.google.com 1.1.1.1"),
                argumentSet(
                        "a short name with a search domain of no use to it",
                        "productpage.ns1.ns1.svc.cluster.local",
                        "A",
                        "productpage.ns1.ns1.svc.cluster.local>productpage.ns1 9.9.9.9"),
                argumentSet("a wildcard", "a.example.com", "A", "3.3.3.3"),
                argumentSet("a wildcard and a search domain", "a.example.com.svc.cluster.local", "A", "3.3.3.3"),
                // 82, 84
                argumentSet("a family it has not", "productpage", "AAAA", ""),
                argumentSet("a search domain and a family it has not", "www.google.com.cluster.local", "AAAA", ""),
                argumentSet("addresses on another network only", "details", "A", ""),
                // 83
                argumentSet("the closest wildcard", "x.svc.mesh.company.net", "A", "4.4.4.4"),
                argumentSet("a wider wildcard", "x.mesh.company.net", "A", "5.5.5.5"),
                // 85
                argumentSet("a headless service", "headless", "A", "30.30.30.30 31.31.31.31"),
                argumentSet("a headless service over IPv6", "headless.ns1", "AAAA", "2001:db8::30"),
                argumentSet("an IPv6-only headless service", "headless-v6", "AAAA", "2001:db8::33"),
                argumentSet("an IPv6-only headless service over IPv4", "headless-v6", "A", ""),
                // 86
                argumentSet("a name of two namespaces, one the client's", "shared.com", "A", "7.7.7.1"),
                argumentSet("a name with a canonical service", "canonical.com", "A", "8.8.8.3"),
                argumentSet("a name of a preferred namespace", "preferred.com", "A", "8.8.7.9"),
                // 87
                argumentSet("a hidden name of the own namespace", "mine.com", "A", "6.6.6.1"),
                // more than upstream: single pods
                argumentSet("a pod behind a headless service", "pod-0.headless", "A", "30.30.30.30"),
                argumentSet("its full name", "pod-0.headless.ns1.svc.cluster.local", "AAAA", "2001:db8::30"),
                argumentSet("its family missing", "pod-1.headless.ns1", "AAAA", ""),
                argumentSet("a pod by address behind its service", "31-31-31-31.headless.ns1.svc", "A", "31.31.31.31"),
                argumentSet("a pod by address", "30-30-30-30.ns1.pod.cluster.local", "A", "30.30.30.30"),
                argumentSet("a pod by IPv6 address", "2001-db8--30.ns1.pod.cluster.local", "AAAA", "2001:db8::30"));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void givenKnownName_thenAnswered(String name, String type, String want) {
        assertThat(text(decide(MESH, CLIENT, name, type))).isEqualTo("answer" + (want.isEmpty() ? "" : " " + want));
    }

    static Stream<Arguments> unknown() {
        return Stream.of(
                argumentSet("79: another type", "productpage", 2),
                argumentSet("an SRV record", "_http._tcp.productpage", 33),
                argumentSet("80: a short name of another namespace", "nowhere", 1),
                argumentSet("an unknown name", "unknown.host", 1),
                argumentSet("85: an external service without address", "external.without.address", 1),
                argumentSet("a service with a range only", "range.only", 1),
                argumentSet("85: an unknown pod", "pod-9.headless", 1),
                argumentSet("a pod behind a service with an address", "pod-0.productpage.ns1.svc.cluster.local", 1),
                argumentSet("a pod of another namespace", "30-30-30-30.ns2.pod.cluster.local", 1),
                argumentSet("87: a hidden name", "hidden.com", 1),
                argumentSet("the root", "", 1),
                argumentSet("a search domain itself", "svc.cluster.local", 1));
    }

    @ParameterizedTest
    @MethodSource("unknown")
    void givenUnknownName_thenForwarded(String name, int type) {
        assertThat(answerer().decide(MESH, CLIENT, new DnsQuestion(name, type, DnsQuestion.INTERNET)))
                .isEqualTo(DnsDecision.FORWARD);
    }

    @Test
    void givenOtherClassThanInternet_thenForwarded() {
        assertThat(answerer().decide(MESH, CLIENT, new DnsQuestion("productpage", DnsQuestion.A, 3)))
                .isEqualTo(DnsDecision.FORWARD);
    }

    @Test
    void givenIpv6Off_thenNoIpv6Addresses() {
        var config = new DnsConfig(
                "cluster.local", Optional.empty(), DnsConfig.Ipv6.OFF, Optional.empty(), PodResolver.NONE);
        var decision = new DnsAnswerer(config)
                .decide(MESH, CLIENT, new DnsQuestion("both", DnsQuestion.AAAA, DnsQuestion.INTERNET));
        assertThat(text(decision)).isEqualTo("answer");
    }

    @Test
    void givenPodThatAddsSearchDomains_thenTheyComeLast() {
        var config = DnsConfig.of("cluster.local")
                .of(new PodResolver(
                        List.of(), List.of("corp.example.net", "svc.cluster.local"), PodResolver.Role.ADDED));
        var client = config.client(Mesh.workload("ns1", "client", List.of(), "40.0.0.1"));
        assertThat(client.searchDomains())
                .containsExactly("ns1.svc.cluster.local", "svc.cluster.local", "cluster.local", "corp.example.net");
    }

    @Test
    void givenPodWithDnsConfig_thenItsSearchDomainsCount() {
        var config = DnsConfig.of("cluster.local")
                .of(new PodResolver(List.of(), List.of("corp.example.net"), PodResolver.Role.ALONE));
        var client = config.client(Mesh.workload("ns1", "client", List.of(), "40.0.0.1"));
        assertThat(client.searchDomains()).containsExactly("corp.example.net");

        assertThat(text(decide(MESH, client, "www.google.com.corp.example.net", "A")))
                .isEqualTo("answer www.google.com.corp.example.net>www.google.com 1.1.1.1");
        assertThat(text(decide(MESH, client, "www.google.com.cluster.local", "A")))
                .isEqualTo("forward");
    }

    @Test
    void givenNoDnsConfig_thenSearchDomainsAreThoseOfKubernetes() {
        assertThat(CONFIG.client(Mesh.workload("ns1", "client", List.of(), "40.0.0.1")))
                .isEqualTo(CLIENT);
    }

    static Stream<Arguments> expansions() {
        return Stream.of(
                argumentSet("one label", "n", "n n.ns1.svc.cluster.local"),
                argumentSet("two labels", "n.x", "n.x n.x.svc.cluster.local n.x.ns1.svc.cluster.local"),
                argumentSet("three labels", "n.x.y", "n.x.y n.x.y.svc.cluster.local"),
                argumentSet("three with svc", "n.x.svc", "n.x.svc n.x.svc.cluster.local n.x.svc.svc.cluster.local"),
                argumentSet("four labels", "n.x.y.z", "n.x.y.z"),
                argumentSet("four with svc", "p.n.x.svc", "p.n.x.svc p.n.x.svc.cluster.local"),
                argumentSet("five labels", "a.b.c.d.e", "a.b.c.d.e"),
                argumentSet(
                        "a search domain",
                        "n.svc.cluster.local",
                        "n.svc.cluster.local n n.ns1.svc.cluster.local n.svc n.svc.svc.cluster.local"
                                + " n.svc.ns1.svc.cluster.local"));
    }

    @ParameterizedTest
    @MethodSource("expansions")
    void case89_givenName_thenFormsAreTriedInOrder(String name, String want) {
        assertThat(NameForms.of(name, CLIENT, CONFIG).stream().map(NameForms.Form::name))
                .isEqualTo(Arrays.asList(want.split(" ", -1)));
    }

    private static DnsAnswerer answerer() {
        return new DnsAnswerer(new DnsConfig(
                "cluster.local", Optional.of("pref"), DnsConfig.Ipv6.ON, Optional.empty(), PodResolver.NONE));
    }

    private static DnsDecision decide(MeshView mesh, DnsClient client, String name, String type) {
        return answerer()
                .decide(
                        mesh,
                        client,
                        new DnsQuestion(
                                name, type.equals("A") ? DnsQuestion.A : DnsQuestion.AAAA, DnsQuestion.INTERNET));
    }

    private static String text(DnsDecision decision) {
        return switch (decision) {
            case DnsDecision.Forward ignored -> "forward";
            case DnsDecision.Answer answer -> {
                var text = new StringBuilder("answer");
                for (var entry : answer.records()) {
                    text.append(' ')
                            .append(
                                    switch (entry) {
                                        case DnsRecord.Alias alias -> alias.owner() + ">" + alias.target();
                                        case DnsRecord.Host host -> host.ip().toString();
                                    });
                }
                yield text.toString();
            }
        };
    }

    @Test
    void givenAlias_thenAddressesBelongToTheStrippedName() {
        var answer = (DnsDecision.Answer) decide(MESH, CLIENT, "www.google.com.cluster.local", "A");
        assertThat(answer.records())
                .containsExactly(
                        new DnsRecord.Alias("www.google.com.cluster.local", "www.google.com"),
                        new DnsRecord.Host("www.google.com", Ip.parse("1.1.1.1").orElseThrow()));
    }
}
