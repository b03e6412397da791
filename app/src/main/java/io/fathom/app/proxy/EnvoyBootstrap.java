// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.base.lang.DurationText;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Writes what Envoy starts with: the template `bootstrap.yaml`, in which each word in braces is replaced by JSON.
/// Pure.
final class EnvoyBootstrap {
    /// Upstream's annotation: how long metrics that nobody uses are kept.
    private static final String EVICTION = "sidecar.istio.io/statsEvictionInterval";

    private static final Duration USUAL_EVICTION = Duration.ofMinutes(10);
    private static final long FLUSH_SECONDS = 5;
    private static final Pattern WORD = Pattern.compile("\\$\\{(\\w+)}");

    private EnvoyBootstrap() {}

    static String of(ProxyConfig config) {
        var values = values(config);
        return WORD.matcher(template()).replaceAll(match -> {
            var value = values.get(match.group(1));
            if (value == null) {
                throw new IllegalStateException("the bootstrap has an unknown word " + match.group());
            }
            return Matcher.quoteReplacement(value);
        });
    }

    private static Map<String, String> values(ProxyConfig config) {
        var control = config.control();
        var ports = config.ports();
        var wildcard = config.ipv6() ? "::" : "0.0.0.0";
        var values = new HashMap<String, Object>();
        values.put("adminPort", ports.admin());
        values.put("agentPort", ports.agent());
        values.put("prometheusPort", ports.prometheus());
        values.put("statusPort", ports.status());
        values.put("prometheusListener", wildcard + "_" + ports.prometheus());
        values.put("statusListener", wildcard + "_" + ports.status());
        values.put("wildcard", wildcard);
        values.put("ipv4Compat", config.ipv6());
        values.put("clusterId", config.node().clusterId());
        values.put("secretsSocket", config.secretsSocket().toString());
        values.put("controlHost", control.host());
        values.put("controlPort", control.port());
        values.put("controlName", control.host());
        values.put("controlNameKind", isAddress(control) ? "IP_ADDRESS" : "DNS");
        values.put("controlRoots", ProxyConfig.CONTROL_ROOTS);
        values.put("controlTls", tls(control.tls().exchange()));
        values.put("statsEviction", eviction(config) + "s");
        var texts = new HashMap<String, String>();
        values.forEach((name, value) -> texts.put(name, Json.compact(Json.of(value))));
        texts.put("node", config.node().json());
        return texts;
    }

    /// What its connection to the control plane is kept to.
    private static Map<String, Object> tls(KeyExchange exchange) {
        var least = exchange == KeyExchange.POST_QUANTUM ? "TLSv1_3" : "TLSv1_2";
        var curves = switch (exchange) {
            case ANY -> List.of();
            case FIPS_140_2 -> List.of("P-256", "P-384");
            case POST_QUANTUM -> List.of("X25519MLKEM768");
        };
        return Map.of(
                "tls_minimum_protocol_version",
                least,
                "tls_maximum_protocol_version",
                "TLSv1_3",
                "ecdh_curves",
                curves);
    }

    /// In seconds; Envoy wants a multiple of the 5 s after which it looks at its metrics.
    private static long eviction(ProxyConfig config) {
        var wish = config.node().facts().annotations().getOrDefault(EVICTION, "");
        var time = DurationText.parse(wish).filter(Duration::isPositive).orElse(USUAL_EVICTION);
        return Math.max(FLUSH_SECONDS, Math.ceilDiv(time.toSeconds(), FLUSH_SECONDS) * FLUSH_SECONDS);
    }

    private static boolean isAddress(ServerConfig server) {
        try {
            var _ = InetAddress.ofLiteral(server.host());
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String template() {
        try (var in = EnvoyBootstrap.class.getResourceAsStream("bootstrap.yaml")) {
            if (in == null) {
                throw new IllegalStateException("bootstrap.yaml is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
