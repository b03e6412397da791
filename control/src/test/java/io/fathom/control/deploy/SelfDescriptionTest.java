// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.deploy.SelfDescription.OwnNames;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.tree.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SelfDescriptionTest {
    private static final OwnNames WEST = new OwnNames("west", "net-west", "west.example");

    private static GatewayManifest gateway(String name, String metadata, String address) {
        var text = """
                {"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway",
                 "metadata":{"name":"%s","namespace":"istio-eastwest"%s},
                 "spec":{"gatewayClassName":"istio-eastwest",
                  "listeners":[{"name":"hbone","port":15008,"protocol":"HBONE","tls":{"mode":"Terminate"}},
                               {"name":"xds-tls","port":15012,"protocol":"TLS","tls":{"mode":"Passthrough"}}]}%s}
                """.formatted(
                name,
                metadata,
                address.isEmpty()
                        ? ""
                        : ",\"status\":{\"addresses\":[{\"type\":\"IPAddress\",\"value\":\"" + address + "\"}]}");
        return new ManifestReader(ReaderConfig.of("west", "", "istio-system"))
                .read(Json.parse("gateway", text), _ -> Instant.EPOCH).stream()
                        .map(reading -> (GatewayManifest) ((Reading.Good) reading).manifest())
                        .findFirst()
                        .orElseThrow();
    }

    private static Optional<SelfDescription> of(GatewayManifest... gateways) {
        return SelfDescription.of(WEST, List.of(gateways));
    }

    @Test
    void givenAGatewayWithAnAddress_thenOthersLearnAllOfIt() {
        var said = of(gateway(
                        "istio-eastwest",
                        ",\"labels\":{\"topology.kubernetes.io/region\":\"eu-1\"}"
                                + ",\"annotations\":{\"fleet.fathom.io/distribute-to\":\"east\"}",
                        "10.4.5.6"))
                .orElseThrow();

        assertThat(Json.compact(Json.of(said.content())))
                .contains("\"name\":\"istio-remote-peer-west\"")
                .contains("\"gatewayClassName\":\"istio-remote\"")
                .containsAnyOf(
                        "{\"type\":\"IPAddress\",\"value\":\"10.4.5.6\"}",
                        "{\"value\":\"10.4.5.6\",\"type\":\"IPAddress\"}")
                .contains("\"port\":15008", "\"port\":15012");
        assertThat(said.labels())
                .containsEntry("topology.istio.io/network", "net-west")
                .containsEntry("topology.istio.io/cluster", "west")
                .containsEntry("topology.kubernetes.io/region", "eu-1")
                .containsEntry("app.kubernetes.io/managed-by", "fathomd");
        assertThat(said.annotations())
                .containsEntry("gateway.istio.io/service-account", "istio-eastwest")
                .containsEntry("gateway.istio.io/trust-domain", "west.example")
                .containsEntry("fleet.fathom.io/distribute-to", "east");
    }

    @Test
    void givenNoAddress_thenThereIsNothingToSay_andAnAnnotationWinsOverTheStatus() {
        assertThat(of(gateway("istio-eastwest", "", ""))).isEmpty();
        var advertised = ",\"annotations\":{\"fleet.fathom.io/advertise\":\"edge.example.com:31008, fd00::1\"}";

        assertThat(of(gateway("istio-eastwest", advertised, "10.4.5.6"))
                        .orElseThrow()
                        .addresses())
                .containsExactly("edge.example.com", "fd00::1");
    }
}
