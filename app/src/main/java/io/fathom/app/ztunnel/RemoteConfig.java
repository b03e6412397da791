package io.fathom.app.ztunnel;

import io.fathom.app.settings.Settings;
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// One server of the control plane and how it is spoken to, always over TLS.
///
/// @param root a file, `SYSTEM`, or PEM itself
/// @param alternativeName another name that its certificate may have
/// @param headers sent with every call
record RemoteConfig(String host, int port, String root, Optional<String> alternativeName, Map<String, String> headers) {
    private static final int DEFAULT_PORT = 443;

    RemoteConfig {
        headers = Map.copyOf(headers);
    }

    /// Empty when the address is given and says nothing.
    static Optional<RemoteConfig> of(Settings settings, Server server, Optional<String> discoveryAddress) {
        var environment = settings.environment();
        var given = environment.get(server.address.variable());
        if (given != null && given.isBlank()) {
            return Optional.empty();
        }
        var address = given != null ? given : discoveryAddress.orElseGet(() -> usual(environment));
        var uri = parse(settings, server, address.contains("://") ? address : "https://" + address);
        return Optional.of(new RemoteConfig(
                uri.getHost(),
                uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
                settings.text(server.root),
                Optional.of(settings.text(server.alternativeName)).filter(name -> !name.isEmpty()),
                headers(environment, server.headers)));
    }

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

    private static String usual(Map<String, String> environment) {
        return environment.containsKey("KUBERNETES_SERVICE_HOST")
                ? "https://istiod.istio-system.svc:15012"
                : "https://localhost:15012";
    }

    private static URI parse(Settings settings, Server server, String address) {
        try {
            var uri = URI.create(address);
            if ("https".equals(uri.getScheme()) && uri.getHost() != null) {
                return uri;
            }
        } catch (IllegalArgumentException _) {
            // the complaint is the same
        }
        throw settings.bad(
                server.address,
                "is not the address of a TLS server",
                "give one like https://istiod.istio-system.svc:15012");
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
