// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.settings.Settings;
import io.fathom.wire.dial.BearerToken;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.dial.ServerTrust;
import io.fathom.wire.tls.TlsPolicy;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Reads how the servers of the control plane are reached, always over TLS.
final class RemoteConfig {
    /// Which server it is, by the settings about it.
    enum Server {
        XDS(ZtunnelSetting.XDS_ADDRESS, ZtunnelSetting.XDS_ROOT_CA, ZtunnelSetting.ALT_XDS_HOSTNAME, "XDS_HEADER_"),
        CA(ZtunnelSetting.CA_ADDRESS, ZtunnelSetting.CA_ROOT_CA, ZtunnelSetting.ALT_CA_HOSTNAME, "CA_HEADER_");

        private final ZtunnelSetting address;
        private final ZtunnelSetting root;
        private final ZtunnelSetting alternativeName;
        private final String headers;

        Server(ZtunnelSetting address, ZtunnelSetting root, ZtunnelSetting alternativeName, String headers) {
            this.address = address;
            this.root = root;
            this.alternativeName = alternativeName;
            this.headers = headers;
        }
    }

    private RemoteConfig() {}

    /// Empty when the address is given and says nothing.
    static Optional<ServerConfig> of(
            Settings settings, Server server, Optional<String> discoveryAddress, String clusterId, TlsPolicy tls) {
        var environment = settings.environment();
        var given = environment.get(server.address.variable());
        if (given != null && given.isBlank()) {
            return Optional.empty();
        }
        var address = given != null ? given : discoveryAddress.orElseGet(() -> usual(environment));
        var config = ServerConfig.parse(address, ServerTrust.parse(settings.text(server.root)))
                .withToken(BearerToken.parse(settings.text(ZtunnelSetting.AUTH_TOKEN)))
                .withClusterId(clusterId)
                .withHeaders(headers(environment, server.headers));
        if (tls.exchange() != TlsPolicy.KeyExchange.ANY) {
            config = config.withTls(tls); // a compliance policy holds here too
        }
        var alternative = settings.text(server.alternativeName);
        return Optional.of(alternative.isEmpty() ? config : config.withAlternativeName(alternative));
    }

    private static String usual(Map<String, String> environment) {
        return environment.containsKey("KUBERNETES_SERVICE_HOST")
                ? "https://istiod.istio-system.svc:15012"
                : "https://localhost:15012";
    }

    private static Map<String, String> headers(Map<String, String> environment, String prefix) {
        var headers = new HashMap<String, String>();
        environment.forEach((name, value) -> {
            if (name.startsWith(prefix) && name.length() > prefix.length()) {
                headers.put(name.substring(prefix.length()).toLowerCase(Locale.ROOT), value);
            }
        });
        return headers;
    }
}
