// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Flag;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// What the command line says: `proxy TYPE [FLAG ...]`, as pilot-agent takes it.
///
/// @param domain of the pod's names: `shop.svc.cluster.local`
/// @param concurrency workers of Envoy; empty or 0 leaves it to others
record ProxyCommand(
        Type type,
        Optional<String> domain,
        Optional<String> serviceCluster,
        String logLevel,
        String componentLogLevel,
        String ownLogLevel,
        Optional<String> concurrency) {
    /// What the proxy is, in its node's name.
    enum Type {
        WAYPOINT,
        ROUTER;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final Flag DOMAIN = Flag.of("--domain", "NAME", "Domain of the pod's names.");
    private static final Flag CLUSTER = Flag.of("--serviceCluster", "NAME", "What telemetry calls the proxy.");
    private static final Flag LEVEL = Flag.of("--proxyLogLevel", "LEVEL", "How much Envoy logs [warning].");
    private static final Flag COMPONENTS =
            Flag.of("--proxyComponentLogLevel", "LIST", "The same for its parts [misc:error].");
    private static final Flag OWN_LEVEL =
            Flag.of("--log_output_level", "LIST", "How much the companion logs [default:info].");
    private static final Flag CONCURRENCY = Flag.of("--concurrency", "N", "Workers of Envoy.");
    private static final Flag STS_PORT = Flag.of("--stsPort", "N", "Taken, but without effect.");
    private static final Flag OUTLIERS = Flag.of("--outlierLogPath", "FILE", "Taken, but without effect.");
    private static final Flag MESH = Flag.of("--meshConfig", "FILE", "Taken, but without effect.");

    static final List<Flag> FLAGS =
            List.of(DOMAIN, CLUSTER, LEVEL, COMPONENTS, OWN_LEVEL, CONCURRENCY, STS_PORT, OUTLIERS, MESH);

    /// @param args behind `proxy`
    /// @throws ProblemException for a command line that makes no sense
    static ProxyCommand parse(String... args) {
        var parsed = Arguments.parse(FLAGS, args);
        if (parsed.operands().size() > 1) {
            throw problem("there is one type of proxy too many: " + String.join(" ", parsed.operands()));
        }
        var type = parsed.operands().isEmpty()
                ? Type.ROUTER
                : type(parsed.operands().getFirst());
        return new ProxyCommand(
                type,
                parsed.value(DOMAIN),
                parsed.value(CLUSTER),
                parsed.value(LEVEL).orElse("warning"),
                parsed.value(COMPONENTS).orElse("misc:error"),
                ownLevel(parsed.value(OWN_LEVEL).orElse("default:info")),
                parsed.value(CONCURRENCY));
    }

    private static Type type(String word) {
        return switch (word) {
            case "waypoint" -> Type.WAYPOINT;
            case "router" -> Type.ROUTER;
            default -> throw problem("there is no proxy of type " + word);
        };
    }

    /// Of `all:debug,ads:info` and the like what holds for everything; ours are not upstream's parts.
    private static String ownLevel(String list) {
        var level = "info";
        for (var item : list.split(",", -1)) {
            var colon = item.indexOf(':');
            var scope = colon < 0 ? "default" : item.substring(0, colon);
            if (scope.equals("default") || scope.equals("all")) {
                level = item.substring(colon + 1);
            }
        }
        return switch (level) {
            case "none" -> "off";
            case "fatal" -> "error";
            default -> level;
        };
    }

    private static ProblemException problem(String message) {
        return new ProblemException(Problem.ofInput("bad-command-line", message, "give waypoint or router"));
    }
}
