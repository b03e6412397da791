// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeadersTest {
    /// Case 18.
    @ParameterizedTest
    @CsvSource({
        "10.0.0.1:80, '', 'for=\"10.0.0.1:80\"'",
        "[2001:db8::1]:80, '', 'for=\"[2001:db8::1]:80\"'",
        "10.0.0.1:80, svc.example, 'for=\"10.0.0.1:80\";host=svc.example'"
    })
    void givenAClient_whenForwardedIsWritten_thenItIsUpstreamsText(String client, String host, String expected) {
        var name = Optional.of(host).filter(text -> !text.isEmpty());
        assertThat(Forwarded.text(IpPort.parse(client).orElseThrow(), name)).isEqualTo(expected);
    }

    /// Case 48.
    @ParameterizedTest
    @CsvSource({
        "'for=\"10.0.0.1:80\";host=\"svc.example\"', svc.example",
        "'for=\"10.0.0.1:80\";host=svc.example', svc.example",
        "'for=\"10.0.0.1:80\"; Host=svc.example, for=x;host=other', svc.example",
        "'for=\"10.0.0.1:80\"', ''",
        "'for=\"10.0.0.1:80\";host=', ''",
        "'for=\"10.0.0.1:80\";host=\"\"', ''",
        "'host=sv\u00e9c', ''",
        "'', ''"
    })
    void givenAForwardedHeader_whenTheHostIsRead_thenOnlyPlainNamesCount(String header, String host) {
        assertThat(Forwarded.host(header).orElse("")).isEqualTo(host);
    }

    private static final Baggage FULL =
            new Baggage("c1", "ns1", Optional.of(Workload.Type.CRONJOB), "nightly", "report", "v2", "r1", "z1");

    /// Case 49.
    @Test
    void givenBaggage_whenItIsWrittenAndRead_thenItIsTheSame() {
        assertThat(FULL.text())
                .isEqualTo("k8s.cluster.name=c1,k8s.namespace.name=ns1,k8s.cronjob.name=nightly,service.name=report,"
                        + "service.version=v2,cloud.region=r1,cloud.availability_zone=z1");
        assertThat(Baggage.parse(FULL.text())).isEqualTo(FULL);
    }

    @Test
    void givenBaggageOfSeveralHeadersWithEmptyValuesAndOthers_whenItIsRead_thenWhatIsUnderstoodCounts() {
        var read = Baggage.parse("k8s.cluster.name=, k8s.namespace.name = ns1 ,x,foo=bar,k8s.pod.name=p,service.name=");
        assertThat(read).isEqualTo(new Baggage("", "ns1", Optional.of(Workload.Type.POD), "p", "", "", "", ""));
        assertThat(read.text()).isEqualTo("k8s.namespace.name=ns1,k8s.pod.name=p");
        assertThat(Baggage.parse("")).isEqualTo(new Baggage("", "", Optional.empty(), "", "", "", "", ""));
    }

    @Test
    void givenANewTrace_whenTheParentIsWritten_thenItIsValidAndNotSampled() {
        assertThat(TraceParent.random()).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00");
    }
}
