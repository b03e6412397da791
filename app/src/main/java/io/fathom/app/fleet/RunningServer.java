// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.settings.Settings;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.work.Parts;
import io.fathom.fleet.server.FleetPolicy;
import io.fathom.fleet.server.ManagementServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One running management server and its HTTP port.
final class RunningServer {
    private static final Logger log = LoggerFactory.getLogger(RunningServer.class);

    private RunningServer() {}

    /// Throws a [io.fathom.base.lang.ProblemException] when a port or the folder cannot be had.
    static AutoCloseable start(Settings settings) {
        var folder = settings.text(FleetSetting.STATE_DIR);
        if (folder.isEmpty()) {
            throw settings.bad(FleetSetting.STATE_DIR, "", "name a folder that outlives the program: --state-dir DIR");
        }
        var fleet = settings.text(FleetSetting.FLEET);
        if (!fleet.matches("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")) {
            throw settings.bad(FleetSetting.FLEET, "is no name", "give one like fleet.example.com");
        }
        var policy = new FleetPolicy(
                fleet,
                Set.copyOf(settings.words(FleetSetting.GATEWAY_NAMESPACES)),
                settings.time(FleetSetting.CERTIFICATE_TTL));
        var parts = new Parts();
        try {
            var timeline = parts.keep(new SystemTimeline());
            var server = parts.keep(ManagementServer.start(
                    Path.of(folder), address(settings, FleetSetting.PORT), policy, timeline, new SecureRandom()));
            var http = parts.keep(HttpEndpoint.listen(
                    address(settings, FleetSetting.HTTP_PORT),
                    FleetPages.of(server),
                    "http-port-unavailable",
                    "stop whatever uses the port, or choose another one with --http-port; 0 takes any free one"));
            log.atInfo()
                    .addKeyValue("fleet", fleet)
                    .addKeyValue("port", server.port())
                    .addKeyValue("http", http.port())
                    .log("started");
            return parts;
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    private static InetSocketAddress address(Settings settings, FleetSetting port) {
        var text = settings.text(FleetSetting.LISTEN_ADDRESS);
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(text), settings.port(port));
        } catch (IllegalArgumentException _) {
            throw settings.bad(FleetSetting.LISTEN_ADDRESS, "is not an address", "give one like 127.0.0.1");
        }
    }
}
