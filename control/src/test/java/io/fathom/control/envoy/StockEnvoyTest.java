// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap.StaticResources;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class StockEnvoyTest {
    @TempDir
    Path folder;

    @Test
    void givenAnEmptyConfiguration_thenItServes() throws Exception {
        try (var envoy = StockEnvoy.start(folder, Bootstrap.getDefaultInstance())) {
            assertThat(envoy.admin("/server_info")).contains("\"state\": \"LIVE\"");
            assertThat(envoy.stat("server.live")).isEqualTo(1);
        }
    }

    @Test
    void givenAListenerThatIsWrong_thenTheReasonIsTold() {
        var wrong = StaticResources.newBuilder()
                .addListeners(Listener.newBuilder().setName("no-address"))
                .build();
        assertThatThrownBy(() -> StockEnvoy.start(
                                folder,
                                Bootstrap.newBuilder().setStaticResources(wrong).build())
                        .close())
                .hasMessageContaining("no-address");
    }
}
