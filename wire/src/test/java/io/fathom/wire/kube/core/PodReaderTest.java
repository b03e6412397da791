// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.PodResolver;
import io.fathom.wire.kube.Reads;
import io.fathom.wire.kube.core.PodManifest.ContainerPort;
import io.fathom.wire.kube.core.PodManifest.Owner;
import io.fathom.wire.kube.core.PodManifest.Phase;
import io.fathom.wire.kube.manifest.Transport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodReaderTest {
    @Test
    void givenDnsConfig_thenItIsRead_andNamesThatAreNoAddressesAreLeftOut() {
        var pod = Reads.one(PodManifest.class, """
                apiVersion: v1
                kind: Pod
                metadata: {name: web}
                spec:
                  dnsPolicy: None
                  dnsConfig: {nameservers: [192.0.2.1, nonsense], searches: [corp.example], options: [{name: ndots}]}
                """);
        assertThat(pod.resolver().nameServers()).extracting(Ip::toString).containsExactly("192.0.2.1");
        assertThat(pod.resolver().searchDomains()).containsExactly("corp.example");
        assertThat(pod.resolver().role()).isEqualTo(PodResolver.Role.ALONE);
    }

    @Test
    void givenRunningPod_thenEverythingIsRead() {
        var pod = Reads.one(PodManifest.class, """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: web-5d-abc
                  generateName: web-5d-
                  ownerReferences:
                  - {kind: Other, name: x}
                  - {kind: ReplicaSet, name: web-5d, controller: true}
                spec:
                  nodeName: n1
                  serviceAccountName: web
                  hostNetwork: true
                  initContainers:
                  - {name: once, ports: [{containerPort: 1}]}
                  - {name: sidecar, restartPolicy: Always, ports: [{name: s, containerPort: 9}]}
                  containers:
                  - name: a
                    ports:
                    - {name: http, containerPort: 80}
                    - {name: dns, containerPort: 53, protocol: UDP}
                  - {name: b}
                status:
                  phase: Running
                  podIP: 10.0.0.1
                  podIPs: [{ip: 10.0.0.1}, {ip: nonsense}, {ip: "fd00::1"}]
                  conditions:
                  - {type: Initialized, status: "True"}
                  - {type: Ready, status: "True"}
                """);

        assertThat(pod.phase()).isEqualTo(Phase.RUNNING);
        assertThat(pod.ready()).isTrue();
        assertThat(pod.ips()).extracting(Ip::toString).containsExactly("10.0.0.1", "fd00::1");
        assertThat(pod.node()).isEqualTo("n1");
        assertThat(pod.serviceAccount()).isEqualTo("web");
        assertThat(pod.hostNetwork()).isTrue();
        assertThat(pod.ports())
                .containsExactly(
                        new ContainerPort("http", 80, Transport.TCP),
                        new ContainerPort("dns", 53, Transport.UDP),
                        new ContainerPort("s", 9, Transport.TCP));
        assertThat(pod.controller()).hasValue(new Owner("ReplicaSet", "web-5d"));
        assertThat(pod.generateName()).isEqualTo("web-5d-");
    }

    @Test
    void givenBarePod_thenDefaultsApply() {
        var pod = Reads.one(PodManifest.class, "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {}}");

        assertThat(pod.phase()).isEqualTo(Phase.PENDING);
        assertThat(pod.ready()).isFalse();
        assertThat(pod.ips()).isEmpty();
        assertThat(pod.node()).isEmpty();
        assertThat(pod.serviceAccount()).isEqualTo("default");
        assertThat(pod.hostNetwork()).isFalse();
        assertThat(pod.ports()).isEmpty();
        assertThat(pod.controller()).isEmpty();
        assertThat(pod.generateName()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {podIP: 10.0.0.1}                                    | 10.0.0.1
                    {podIP: 10.0.0.1, podIPs: []}                        | 10.0.0.1
                    {podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.2}]}          | 10.0.0.2
                    {podIP: bad}                                         | ''
                    {podIP: "", podIPs: null}                            | ''
                    {podIPs: [{ip: "FD00:0::1"}]}                        | fd00::1
                    """)
    void givenStatus_thenItsAddressesAreRead(String status, String ips) {
        var pod = Reads.one(
                PodManifest.class, "{apiVersion: v1, kind: Pod, metadata: {name: a}, status: %s}".formatted(status));

        assertThat(pod.ips())
                .extracting(Ip::toString)
                .containsExactlyElementsOf(
                        Stream.of(ips.split(",")).filter(ip -> !ip.isEmpty()).toList());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    []                                 | false
                    [{type: Ready, status: "True"}]    | true
                    [{type: Ready, status: "False"}]   | false
                    [{type: Ready, status: Unknown}]   | false
                    [{type: Other, status: "True"}]    | false
                    """)
    void givenConditions_thenReadyFollows(String conditions, boolean ready) {
        var pod = Reads.one(
                PodManifest.class,
                "{apiVersion: v1, kind: Pod, metadata: {name: a}, status: {conditions: %s}}".formatted(conditions));

        assertThat(pod.ready()).isEqualTo(ready);
    }
}
