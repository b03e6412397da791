// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.core.ServiceManifest.Target;
import io.fathom.wire.kube.manifest.Transport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AppProtocolsTest {
    @ParameterizedTest(name = "given port name {0}, then {1}")
    @CsvSource({
        "http,HTTP11",
        "http-web,HTTP11",
        "HTTP-Web,HTTP11",
        "http2,HTTP2",
        "http2-x,HTTP2",
        "grpc,GRPC",
        "grpc-api,GRPC",
        "grpc-web,UNKNOWN",
        "grpc-web-x,UNKNOWN",
        "https,TLS",
        "https-x,TLS",
        "tls,TLS",
        "tcp-x,TCP",
        "udp-x,UNKNOWN",
        "mongo,UNKNOWN",
        "redis,UNKNOWN",
        "mysql,UNKNOWN",
        "h2c,UNKNOWN",
        "hbone,UNKNOWN",
        "web-http,UNKNOWN",
        "httpx,UNKNOWN",
        "'',UNKNOWN"
    })
    void givenPortName(String name, AppProtocol expected) {
        assertThat(of(name, "", 8080, Transport.TCP)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "given appProtocol {0}, then {1}")
    @CsvSource({
        "http,HTTP11", "kubernetes.io/h2c,HTTP2", "kubernetes.io/ws,HTTP11", "kubernetes.io/wss,TLS", "https,TLS",
        "HTTP2,HTTP2", "http-x,HTTP11", "example.com/own,UNKNOWN", "h2c,UNKNOWN", "hbone,UNKNOWN"
    })
    void givenAppProtocol_thenItBeatsTheName(String appProtocol, AppProtocol expected) {
        assertThat(of("tcp", appProtocol, 8080, Transport.TCP)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "given port {0} named {1} over {2}, then {3}")
    @CsvSource({
        "25,'',TCP,TCP",
        "53,dns,TCP,TCP",
        "3306,mysql,TCP,TCP",
        "27017,mongo,TCP,TCP",
        "5432,pg,TCP,UNKNOWN",
        "25,http,TCP,HTTP11",
        "53,dns,UDP,UNKNOWN",
        "80,http,UDP,UNKNOWN",
        "81,http,SCTP,HTTP11"
    })
    void givenNumberAndTransport(int number, String name, Transport transport, AppProtocol expected) {
        assertThat(of(name, "", number, transport)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "given protocol {0} of a ServiceEntry, then {1}")
    @CsvSource({
        "HTTP,HTTP11",
        "http,HTTP11",
        "HTTPS,TLS",
        "TLS,TLS",
        "HTTP2,HTTP2",
        "GRPC,GRPC",
        "TCP,TCP",
        "MONGO,UNKNOWN",
        "UDP,UNKNOWN",
        "HTTP-X,UNKNOWN",
        "'',UNKNOWN"
    })
    void givenProtocolOfEntry_thenTheWholeWordCounts(String protocol, AppProtocol expected) {
        assertThat(AppProtocols.ofEntry(protocol)).isEqualTo(expected);
    }

    private static AppProtocol of(String name, String appProtocol, int number, Transport transport) {
        return AppProtocols.of(new ServicePort(name, number, transport, new Target.ByNumber(number), appProtocol));
    }
}
