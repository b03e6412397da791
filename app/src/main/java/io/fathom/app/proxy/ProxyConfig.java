// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.app.BuildInfo;
import io.fathom.app.settings.Settings;
import io.fathom.base.lang.DurationText;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Identity;
import io.fathom.tools.args.Arguments;
import io.fathom.wire.dial.BearerToken;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.dial.ServerTrust;
import io.fathom.wire.tls.TlsPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What one companion needs to know before it starts.
///
/// @param control where Envoy gets its configuration
/// @param authority where we get certificates
record ProxyConfig(
        ProxyCommand command,
        Identity identity,
        EnvoyNode node,
        ServerConfig control,
        ServerConfig authority,
        Duration certificateLifetime,
        Path secretsSocket,
        EnvoyProgram envoy,
        EnvoyPorts ports,
        boolean ipv6,
        Drain drain) {

    /// The name of the secret with the roots that verify the control plane.
    static final String CONTROL_ROOTS = "file-root:control-plane";

    private static final String USUAL_CONTROL_PLANE = "istiod.istio-system.svc:15012";

    /// How Envoy is run.
    ///
    /// @param folder for its bootstrap
    /// @param binary the program
    /// @param concurrency how many workers; empty for one per core
    record EnvoyProgram(Path folder, Path binary, Optional<String> concurrency) {}

    /// @param admin of Envoy, on loopback
    /// @param agent our own
    /// @param status where Envoy serves readiness
    /// @param prometheus where Envoy serves its metrics
    record EnvoyPorts(int admin, int agent, int status, int prometheus) {}

    /// How long connections may go on after the order to stop.
    sealed interface Drain {
        record After(Duration time) implements Drain {}

        /// Until there are none, but at least that long.
        record WhenIdle(Duration least) implements Drain {}
    }

    /// @param args behind the word `proxy`
    /// @throws ProblemException that names what is wrong and what to write instead
    static ProxyConfig parse(String[] args, Map<String, String> environment) {
        var command = ProxyCommand.parse(args);
        var settings =
                Settings.of(List.of(ProxySetting.values()), Arguments.parse(List.of(), new String[0]), environment);
        var options = ProxyOptions.parse(settings.text(ProxySetting.PROXY_CONFIG));
        var namespace = settings.text(ProxySetting.POD_NAMESPACE);
        var account = settings.text(ProxySetting.SERVICE_ACCOUNT);
        var ip = settings.text(ProxySetting.INSTANCE_IP);
        var node = new EnvoyNode(
                command,
                ip,
                EnvoyNode.addresses(settings.text(ProxySetting.INSTANCE_IPS), ip),
                settings.text(ProxySetting.POD_NAME),
                namespace,
                account,
                PodFacts.read(Path.of(settings.text(ProxySetting.FATHOM_POD_INFO))),
                options,
                BuildInfo.current().version(),
                environment);
        var address = options.discoveryAddress().orElse(USUAL_CONTROL_PLANE);
        var authority = settings.text(ProxySetting.CA_ADDR);
        return new ProxyConfig(
                command,
                new Identity(settings.text(ProxySetting.TRUST_DOMAIN), namespace, account),
                node,
                server(settings, ProxySetting.XDS_ROOT_CA, address, node),
                server(settings, ProxySetting.CA_ROOT_CA, authority.isEmpty() ? address : authority, node),
                settings.time(ProxySetting.SECRET_TTL),
                Path.of(settings.text(ProxySetting.FATHOM_SECRETS_SOCKET)),
                new EnvoyProgram(
                        Path.of(options.configPath().orElseGet(() -> settings.text(ProxySetting.FATHOM_PROXY_DIR))),
                        Path.of(options.binaryPath().orElseGet(() -> settings.text(ProxySetting.FATHOM_ENVOY))),
                        concurrency(command, settings, options)),
                new EnvoyPorts(
                        options.adminPort().orElse(15000),
                        options.statusPort().orElse(15020),
                        settings.port(ProxySetting.ENVOY_STATUS_PORT),
                        settings.port(ProxySetting.ENVOY_PROMETHEUS_PORT)),
                settings.on(ProxySetting.ISTIO_DUAL_STACK) || ip.indexOf(':') >= 0,
                drain(settings, options));
    }

    private static ServerConfig server(Settings settings, ProxySetting root, String address, EnvoyNode node) {
        return ServerConfig.parse(address, ServerTrust.parse(settings.text(root)))
                .withToken(BearerToken.parse(settings.text(ProxySetting.AUTH_TOKEN)))
                .withClusterId(node.clusterId())
                .withTls(new TlsPolicy(TlsPolicy.Versions.TLS13, settings.keyExchange(ProxySetting.COMPLIANCE_POLICY)));
    }

    private static Drain drain(Settings settings, ProxyOptions options) {
        if (settings.on(ProxySetting.EXIT_ON_ZERO_ACTIVE_CONNECTIONS)) {
            return new Drain.WhenIdle(settings.time(ProxySetting.MINIMUM_DRAIN_DURATION));
        }
        if (!settings.text(ProxySetting.TERMINATION_DRAIN_DURATION_SECONDS).isEmpty()) {
            return new Drain.After(Duration.ofSeconds(settings.number(
                    ProxySetting.TERMINATION_DRAIN_DURATION_SECONDS, 0, 86_400, "give a number of seconds")));
        }
        return new Drain.After(options.drain().flatMap(DurationText::parse).orElse(Duration.ofSeconds(5)));
    }

    /// The first that says something.
    private static Optional<String> concurrency(ProxyCommand command, Settings settings, ProxyOptions options) {
        var wishes = new ArrayList<String>();
        command.concurrency().ifPresent(wishes::add);
        options.concurrency().ifPresent(number -> wishes.add(String.valueOf(number)));
        wishes.add(settings.text(ProxySetting.ISTIO_CPU_LIMIT));
        return wishes.stream()
                .filter(number -> !number.isEmpty() && !number.equals("0"))
                .findFirst();
    }

    /// Where Envoy's bootstrap is written.
    Path bootstrap() {
        return envoy.folder().resolve("envoy-rev.yaml");
    }
}
