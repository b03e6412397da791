// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.gateway.RouteFilter.HeaderChanges;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A VirtualService: how requests and connections for hosts are routed, as Istio says it.
///
/// @param hosts possibly short names, or with a leading `*`; empty for one that others delegate to
/// @param gateways `name`, `namespace/name`, or [#MESH]; never empty
/// @param exportTo namespaces that see it, `.` for its own, `*` for all; empty for all
public record VirtualServiceManifest(
        Metadata metadata,
        List<String> hosts,
        List<String> gateways,
        List<String> exportTo,
        List<HttpRule> http,
        List<TlsRule> tls,
        List<TcpRule> tcp)
        implements Manifest {
    /// Stands for all traffic inside the mesh.
    public static final String MESH = "mesh";

    public VirtualServiceManifest {
        hosts = List.copyOf(hosts);
        gateways = List.copyOf(gateways);
        exportTo = List.copyOf(exportTo);
        http = List.copyOf(http);
        tls = List.copyOf(tls);
        tcp = List.copyOf(tcp);
    }

    /// Whether proxies of a namespace may use it.
    public boolean isVisibleIn(String other) {
        return exportTo.isEmpty()
                || exportTo.contains("*")
                || exportTo.contains(other)
                || (exportTo.contains(".") && other.equals(namespace()));
    }

    /// What becomes of requests that one of the matches fits.
    ///
    /// @param matches one of them must fit; empty for everything
    /// @param action what is answered, or where it goes
    public record HttpRule(
            String name,
            List<HttpMatch> matches,
            HttpAction action,
            Headers headers,
            Optional<Duration> timeout,
            Optional<Retries> retries,
            Optional<Fault> fault,
            List<Mirror> mirrors,
            Optional<CorsPolicy> cors) {
        public HttpRule {
            matches = List.copyOf(matches);
            mirrors = List.copyOf(mirrors);
        }
    }

    /// All of it must fit.
    ///
    /// @param port 0 for all
    /// @param headers that must be there; names may begin with `@request.auth.claims`
    /// @param withoutHeaders that must not be there
    public record HttpMatch(
            String name,
            Optional<TextMatch> uri,
            UriCase uriCase,
            Optional<TextMatch> scheme,
            Optional<TextMatch> method,
            Optional<TextMatch> authority,
            SortedMap<String, TextMatch> headers,
            SortedMap<String, TextMatch> withoutHeaders,
            SortedMap<String, TextMatch> queryParameters,
            int port,
            Callers callers,
            String statPrefix) {
        public HttpMatch {
            headers = new TreeMap<>(headers);
            withoutHeaders = new TreeMap<>(withoutHeaders);
            queryParameters = new TreeMap<>(queryParameters);
        }
    }

    public enum UriCase {
        MATTERS,
        IGNORED
    }

    /// Whose traffic a match is for.
    ///
    /// @param gateways empty for those of the VirtualService
    /// @param sourceNamespace empty for all
    public record Callers(Map<String, String> sourceLabels, String sourceNamespace, List<String> gateways) {
        public static final Callers ALL = new Callers(Map.of(), "", List.of());

        public Callers {
            sourceLabels = Map.copyOf(sourceLabels);
            gateways = List.copyOf(gateways);
        }
    }

    public record TextMatch(StringMatchType kind, String value) {
        public enum StringMatchType {
            EXACT,
            PREFIX,
            REGEX,
            /// Whatever it is, it is there.
            PRESENT
        }

        public static final TextMatch ANY = new TextMatch(StringMatchType.PRESENT, "");
    }

    /// What becomes of a request.
    public sealed interface HttpAction {
        /// Goes on to one of the destinations.
        ///
        /// @param rewrite on the way
        record Forward(List<Destination> to, Optional<Rewrite> rewrite) implements HttpAction {
            public Forward {
                to = List.copyOf(to);
            }
        }

        /// What is empty stays as in the request.
        ///
        /// @param prefix replaces what the rule matched; wins over `uri`
        /// @param port 0 for that of the scheme, -1 for that of the request
        record Redirect(String uri, String prefix, String authority, String scheme, int port, int code)
                implements HttpAction {
            public static final int PORT_OF_REQUEST = -1;
        }

        record Respond(int status, String body) implements HttpAction {}

        /// Another VirtualService knows.
        record Delegate(String namespace, String name) implements HttpAction {}
    }

    /// What is empty stays as in the request.
    ///
    /// @param pattern of a regular expression that `uri` replaces; empty when `uri` replaces the matched prefix
    public record Rewrite(String pattern, String uri, String authority) {}

    /// A service, or a part of it.
    ///
    /// @param port 0 for the only port, or that of the request
    /// @param weight relative to the others
    public record Destination(String host, String subset, int port, int weight, Headers headers) {}

    public record Headers(HeaderChanges request, HeaderChanges response) {
        private static final HeaderChanges NOTHING = new HeaderChanges(List.of(), List.of(), List.of());
        public static final Headers UNCHANGED = new Headers(NOTHING, NOTHING);
    }

    /// When to try again, and how often.
    ///
    /// @param attempts 0 for none
    /// @param on Envoy's words and status codes, separated by commas; empty for the usual
    public record Retries(
            int attempts,
            Optional<Duration> perTry,
            String on,
            Optional<Duration> backoff,
            Optional<Boolean> ignorePreviousHosts,
            Optional<Boolean> remoteLocalities) {}

    /// Trouble on purpose.
    ///
    /// @param delay before a request is passed on
    /// @param abort instead of passing it on
    public record Fault(Optional<Delay> delay, Optional<Abort> abort) {}

    public record Delay(Duration duration, double percent) {}

    /// Answers with a status of HTTP or gRPC.
    public record Abort(Protocol protocol, int status, double percent) {
        public enum Protocol {
            HTTP,
            GRPC
        }
    }

    public record Mirror(Destination to, double percent) {}

    public record CorsPolicy(
            List<TextMatch> origins,
            List<String> methods,
            List<String> headers,
            List<String> exposed,
            Optional<Duration> maxAge,
            Optional<Boolean> credentials,
            Unmatched unmatched) {
        /// What becomes of a preflight request of another origin.
        public enum Unmatched {
            FORWARDED,
            ANSWERED
        }

        public CorsPolicy {
            origins = List.copyOf(origins);
            methods = List.copyOf(methods);
            headers = List.copyOf(headers);
            exposed = List.copyOf(exposed);
        }
    }

    /// For connections that begin with TLS, by the name that the client asks for.
    public record TlsRule(List<TlsMatch> matches, List<Destination> to) {
        public TlsRule {
            matches = List.copyOf(matches);
            to = List.copyOf(to);
        }
    }

    /// All of it must fit.
    ///
    /// @param port 0 for all
    public record TlsMatch(List<String> serverNames, List<String> destinations, int port, Callers callers) {
        public TlsMatch {
            serverNames = List.copyOf(serverNames);
            destinations = List.copyOf(destinations);
        }
    }

    /// For connections of any kind.
    ///
    /// @param matches empty for everything
    public record TcpRule(List<TcpMatch> matches, List<Destination> to) {
        public TcpRule {
            matches = List.copyOf(matches);
            to = List.copyOf(to);
        }
    }

    /// All of it must fit.
    ///
    /// @param port 0 for all
    public record TcpMatch(List<String> destinations, int port, Callers callers) {
        public TcpMatch {
            destinations = List.copyOf(destinations);
        }
    }
}
