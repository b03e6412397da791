// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Someone who takes logs, spans or metrics: an entry of MeshConfig's `extensionProviders`.
public sealed interface TelemetryProvider {
    String name();

    /// A service of the mesh that provides it.
    ///
    /// @param service `namespace/host` or `host`
    record Backend(String service, int port) {}

    /// A header of what is sent.
    ///
    /// @param value itself, or the name of a variable of the proxy
    record Header(String name, String value, ProviderSource source) {
        public enum ProviderSource {
            LITERAL,
            ENVIRONMENT
        }
    }

    /// How a line is written: as text, as a JSON object, or both.
    ///
    /// @param text empty when there is none
    /// @param labels a JSON object, empty when there is none
    record LogFormat(String text, String labels) {
        public static final LogFormat DEFAULT = new LogFormat("", "");

        public boolean isDefault() {
            return text.isEmpty() && labels.isEmpty();
        }
    }

    enum EmptyValues {
        DASH,
        OMIT
    }

    record FileLog(String name, String path, LogFormat format, EmptyValues emptyValues) implements TelemetryProvider {}

    /// Envoy's access log service for requests.
    record HttpLogService(
            String name,
            Backend backend,
            String logName,
            List<String> filterState,
            List<String> requestHeaders,
            List<String> responseHeaders,
            List<String> responseTrailers)
            implements TelemetryProvider {
        public HttpLogService {
            filterState = List.copyOf(filterState);
            requestHeaders = List.copyOf(requestHeaders);
            responseHeaders = List.copyOf(responseHeaders);
            responseTrailers = List.copyOf(responseTrailers);
        }
    }

    /// Envoy's access log service for connections.
    record TcpLogService(String name, Backend backend, String logName, List<String> filterState)
            implements TelemetryProvider {
        public TcpLogService {
            filterState = List.copyOf(filterState);
        }
    }

    record OtelLog(String name, Backend backend, String logName, LogFormat format) implements TelemetryProvider {}

    /// A collector of OpenTelemetry.
    ///
    /// @param http by HTTP rather than gRPC
    /// @param maxTagLength 0 for the default
    record OtelTrace(
            String name,
            Backend backend,
            int maxTagLength,
            Optional<HttpExport> http,
            Optional<Duration> timeout,
            List<Header> metadata,
            Detector detector)
            implements TelemetryProvider {
        /// What else tells about the proxy.
        public enum Detector {
            NONE,
            ENVIRONMENT
        }

        public OtelTrace {
            metadata = List.copyOf(metadata);
        }
    }

    record HttpExport(String path, Duration timeout, List<Header> headers) {
        public HttpExport {
            headers = List.copyOf(headers);
        }
    }

    /// A collector of Zipkin.
    ///
    /// @param path empty for the default
    record Zipkin(String name, Backend backend, int maxTagLength, String path, IdLength idLength)
            implements TelemetryProvider {
        public enum IdLength {
            BITS_64,
            BITS_128
        }
    }

    record Datadog(String name, Backend backend, int maxTagLength) implements TelemetryProvider {}

    record SkyWalking(String name, Backend backend, String accessToken) implements TelemetryProvider {}

    record Prometheus(String name) implements TelemetryProvider {}

    /// One that stock Envoy cannot feed.
    record Unsupported(String name, String kind) implements TelemetryProvider {}

    /// Those that are there even if nobody writes them down.
    Map<String, TelemetryProvider> BUILT_IN = Map.of(
            "prometheus", new Prometheus("prometheus"),
            "envoy", new FileLog("envoy", "/dev/stdout", LogFormat.DEFAULT, EmptyValues.DASH));
}
