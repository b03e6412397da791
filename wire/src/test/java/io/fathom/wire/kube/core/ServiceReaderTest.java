// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.Reads;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.core.ServiceManifest.Target;
import io.fathom.wire.kube.core.ServiceManifest.TrafficPolicy;
import io.fathom.wire.kube.manifest.Transport;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServiceReaderTest {
    @Test
    void givenFullService_thenEverythingIsRead() {
        var service = service("""
                type: LoadBalancer
                clusterIP: 10.96.0.1
                clusterIPs: [10.96.0.1, "fd00::1"]
                ipFamilies: [IPv6, IPv4]
                selector: {app: web}
                internalTrafficPolicy: Local
                trafficDistribution: PreferClose
                publishNotReadyAddresses: true
                ports:
                - {name: http, port: 80, targetPort: 8080, appProtocol: http}
                - {name: grpc, port: 81, targetPort: grpc}
                - {name: dns, port: 53, protocol: UDP}
                """);

        assertThat(service.type()).isEqualTo(ServiceManifest.Type.LOAD_BALANCER);
        assertThat(service.clusterIps()).extracting(Ip::toString).containsExactly("10.96.0.1", "fd00::1");
        assertThat(service.ipFamilies()).containsExactly(Ip.Family.V6, Ip.Family.V4);
        assertThat(service.selector()).isEqualTo(Map.of("app", "web"));
        assertThat(service.internalTrafficPolicy()).isEqualTo(TrafficPolicy.LOCAL);
        assertThat(service.trafficDistribution()).isEqualTo("PreferClose");
        assertThat(service.publishNotReadyAddresses()).isTrue();
        assertThat(service.ports())
                .containsExactly(
                        new ServicePort("http", 80, Transport.TCP, new Target.ByNumber(8080), "http"),
                        new ServicePort("grpc", 81, Transport.TCP, new Target.ByName("grpc"), ""),
                        new ServicePort("dns", 53, Transport.UDP, new Target.ByNumber(53), ""));
    }

    @Test
    void givenBareService_thenDefaultsApply() {
        var service = service("{}");

        assertThat(service.type()).isEqualTo(ServiceManifest.Type.CLUSTER_IP);
        assertThat(service.clusterIps()).isEmpty();
        assertThat(service.ipFamilies()).isEmpty();
        assertThat(service.selector()).isEmpty();
        assertThat(service.ports()).isEmpty();
        assertThat(service.internalTrafficPolicy()).isEqualTo(TrafficPolicy.CLUSTER);
        assertThat(service.trafficDistribution()).isEmpty();
        assertThat(service.publishNotReadyAddresses()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {clusterIP: None}                                  | []                   | []
                    {clusterIP: ""}                                    | []                   | []
                    {clusterIP: None, ipFamilies: [IPv4]}              | []                   | [V4]
                    {clusterIP: 10.0.0.1}                              | [10.0.0.1]           | [V4]
                    {clusterIP: "fd00::1"}                             | [fd00::1]            | [V6]
                    {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1]}      | [10.0.0.1]           | [V4]
                    {clusterIPs: ["fd00::1", 10.0.0.1]}                | [fd00::1, 10.0.0.1]  | [V6, V4]
                    {clusterIP: None, clusterIPs: [None]}              | []                   | []
                    """)
    void givenClusterIps_thenFamiliesFollow(String spec, String ips, String families) {
        var service = service(spec);

        assertThat(service.clusterIps()).hasToString(ips);
        assertThat(service.ipFamilies()).hasToString(families);
    }

    private static ServiceManifest service(String spec) {
        return Reads.one(
                ServiceManifest.class, "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n" + spec.indent(2));
    }
}
