// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.Reads;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider.Body;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider.Http;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider.OnFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExtensionProviderReaderTest {
    private static final String MESH = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio, namespace: istio-system}
            data:
              mesh: |
                extensionProviders:
            """;

    @Test
    void thenEveryFieldIsRead() {
        var mesh = Reads.one(MeshConfigManifest.class, MESH + """
                    - name: http
                      envoyExtAuthzHttp:
                        service: foo/authz.foo.svc.cluster.local
                        port: 8000
                        timeout: 1.5s
                        pathPrefix: /check
                        failOpen: true
                        clearRouteCache: true
                        statusOnError: "503"
                        includeRequestHeadersInCheck: [x-a, "x-b*"]
                        includeAdditionalHeadersInCheck: {x-c: "1"}
                        includeRequestBodyInCheck: {maxRequestBytes: 4096, allowPartialMessage: true, packAsBytes: true}
                        headersToUpstreamOnAllow: [u]
                        headersToDownstreamOnDeny: [d]
                        headersToDownstreamOnAllow: [e]
                    - name: grpc
                      envoyExtAuthzGrpc: {service: authz.foo.svc.cluster.local, port: 9000}
                    - name: prometheus
                      somethingNew: {}
                """);

        assertThat(mesh.extensionProviders())
                .containsExactly(
                        new ExtAuthzProvider(
                                "http",
                                "foo/authz.foo.svc.cluster.local",
                                8000,
                                Optional.of(Duration.ofMillis(1500)),
                                OnFailure.ALLOW,
                                OptionalInt.of(503),
                                true,
                                Optional.of(new Body(4096, true, true)),
                                Optional.of(new Http(
                                        "/check",
                                        List.of("x-a", "x-b*"),
                                        Map.of("x-c", "1"),
                                        List.of("u"),
                                        List.of("d"),
                                        List.of("e")))),
                        new ExtAuthzProvider(
                                "grpc",
                                "authz.foo.svc.cluster.local",
                                9000,
                                Optional.empty(),
                                OnFailure.DENY,
                                OptionalInt.empty(),
                                false,
                                Optional.empty(),
                                Optional.empty()),
                        new OtherProvider("prometheus", "somethingNew"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            - {name: a, envoyExtAuthzGrpc: {port: 1}}                                  | [0].envoyExtAuthzGrpc.service
            - {name: a, envoyExtAuthzGrpc: {service: s}}                               | [0].envoyExtAuthzGrpc.port
            - {name: a, envoyExtAuthzHttp: {service: s, port: 1, pathPrefix: x}}       | [0].envoyExtAuthzHttp.pathPrefix
            - {name: a, envoyExtAuthzHttp: {service: s, port: 1, statusOnError: "x"}}  | [0].envoyExtAuthzHttp.statusOnError
            - {name: a, envoyExtAuthzHttp: {service: s, port: 1, statusOnError: "418"}} | [0].envoyExtAuthzHttp.statusOnError
            - {name: a, envoyExtAuthzGrpc: {service: s, port: 1, includeRequestBodyInCheck: {}}} | [0].envoyExtAuthzGrpc.includeRequestBodyInCheck.maxRequestBytes
            - {name: a, envoyExtAuthzHttp: {service: s, port: 1, timeout: soon}}       | [0].envoyExtAuthzHttp.timeout
            - {envoyExtAuthzGrpc: {service: s, port: 1}}                               | [0].name
            """)
    void givenAMistake_thenItsFieldIsNamed(String provider, String field) {
        assertThat(Reads.problem(MESH + "    " + provider + "\n").field())
                .isEqualTo("data.mesh.extensionProviders" + field);
    }
}
