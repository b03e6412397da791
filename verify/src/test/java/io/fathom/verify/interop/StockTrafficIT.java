package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Stock node proxies on both sides, configured and given certificates by our control plane.
@Tag("slow")
@Tag("interop")
class StockTrafficIT {
    @Test
    void givenStockProxiesOnBothNodes_thenTrafficIsEncryptedAndArrives() {
        var stock = ProxyProgram.stock();
        assumeTrue(stock.isPresent(), "skipped: ZTUNNEL_BIN does not name a stock ztunnel (it is in no registry)");
        try (var lab = new MeshLab()) {
            var client = lab.pod("client", "node-a");
            var server = lab.pod("server", "node-b");
            try (var near = lab.proxy("node-a", stock.get(), Map.of());
                    var far = lab.proxy("node-b", stock.get(), Map.of());
                    var web = WebServer.in(server)) {
                assertThat(web.ask(client, "/hello")).isEqualTo("hello from server");
                assertThat(near.get(15020, "/metrics")).contains("connection_security_policy=\"mutual_tls\"");
                assertThat(far.get(15020, "/metrics")).contains("reporter=\"destination\"");
            }
        }
    }
}
