// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.extension;

import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.telemetry.TrafficMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Code of the user's that proxies run: what a WasmPlugin and a TrafficExtension say alike.
///
/// @param selector empty when it has none
/// @param priority higher ones run first in their phase
/// @param match all traffic when there is none
public record TrafficExtension(
        Optional<Map<String, String>> selector,
        List<PolicyTarget> targets,
        Phase phase,
        int priority,
        List<Traffic> match,
        Program program) {

    /// Before which filters of the mesh it runs.
    public enum Phase {
        UNSPECIFIED,
        AUTHN,
        AUTHZ,
        STATS
    }

    /// Traffic that an extension is for.
    ///
    /// @param ports every port when there is none
    public record Traffic(TrafficMode mode, List<Integer> ports) {
        public Traffic {
            ports = List.copyOf(ports);
        }

        public boolean covers(TrafficMode side, int port) {
            return mode.covers(side) && (ports.isEmpty() || ports.contains(port));
        }
    }

    public sealed interface Program {}

    /// A WebAssembly module.
    ///
    /// @param url `oci://`, `http://`, `https://` or `file://`
    /// @param sha256 in lower case; empty when not set
    /// @param pullSecret the name of a Secret; empty when not set
    /// @param config a JSON value; empty when there is none
    /// @param name that the module knows it by; empty when not set
    /// @param environment values of variables
    /// @param hostEnvironment variables of the proxy that it may see
    public record Wasm(
            String url,
            String sha256,
            PullPolicy pullPolicy,
            String pullSecret,
            String config,
            String name,
            FailStrategy failStrategy,
            Layer layer,
            Map<String, String> environment,
            List<String> hostEnvironment)
            implements Program {
        public Wasm {
            environment = Map.copyOf(environment);
            hostEnvironment = List.copyOf(hostEnvironment);
        }
    }

    public record Lua(String code) implements Program {
        /// The most that is accepted.
        public static final int MAX_BYTES = 64 * 1024;
    }

    public enum PullPolicy {
        UNSPECIFIED,
        IF_NOT_PRESENT,
        ALWAYS
    }

    /// What becomes of traffic when the module cannot be had or fails.
    public enum FailStrategy {
        CLOSE,
        OPEN,
        RELOAD
    }

    public enum Layer {
        HTTP,
        NETWORK
    }

    public TrafficExtension {
        selector = selector.map(Map::copyOf);
        targets = List.copyOf(targets);
        match = List.copyOf(match);
    }

    /// Whether it is for traffic of that side on that port.
    public boolean covers(TrafficMode side, int port) {
        return match.isEmpty() || match.stream().anyMatch(traffic -> traffic.covers(side, port));
    }
}
