// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.netty.buffer.ByteBufUtil;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProxyHeaderTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";

    private static String header(String source, String target, Optional<Identity> identity) {
        return ByteBufUtil.hexDump(ProxyHeader.of(
                IpPort.parse(source).orElseThrow(), IpPort.parse(target).orElseThrow(), identity));
    }

    @Test
    void givenIpv4_whenTheHeaderIsWritten_thenItHasBothEndsAndTheIdentity() {
        var identity = new Identity("td", "n", "s");
        assertThat(header("10.0.0.1:4096", "10.0.0.2:80", Optional.of(identity)))
                .isEqualTo(SIGNATURE + "2111" + "0024" + "0a000001" + "0a000002" + "1000" + "0050" + "d00015"
                        + "7370696666653a2f2f74642f6e732f6e2f73612f73");
    }

    @Test
    void givenIpv6WithoutIdentity_whenTheHeaderIsWritten_thenItHasTheAddressesOnly() {
        assertThat(header("[::1]:1", "[::2]:2", Optional.empty()))
                .isEqualTo(SIGNATURE + "2121" + "0024" + "00000000000000000000000000000001"
                        + "00000000000000000000000000000002" + "0001" + "0002");
    }

    @Test
    void givenMixedFamilies_whenTheHeaderIsWritten_thenNeitherIsThere() {
        assertThat(header("[::1]:1", "10.0.0.2:80", Optional.empty())).isEqualTo(SIGNATURE + "2100" + "0000");
    }
}
