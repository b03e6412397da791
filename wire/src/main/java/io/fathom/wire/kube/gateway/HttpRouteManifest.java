// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.Metadata;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// An HTTPRoute of the Gateway API.
public record HttpRouteManifest(
        Metadata metadata, List<ParentRef> parents, List<String> hostnames, List<HttpRule> rules)
        implements RouteManifest {

    public HttpRouteManifest {
        parents = List.copyOf(parents);
        hostnames = List.copyOf(hostnames);
        rules = List.copyOf(rules);
    }

    @Override
    public String kind() {
        return "HTTPRoute";
    }

    @Override
    public Stream<BackendRef> backends() {
        return rules.stream()
                .flatMap(rule -> Stream.concat(
                        rule.filters().stream().flatMap(RouteFilter::backends),
                        rule.backends().stream().flatMap(WeightedBackend::targets)));
    }

    @Override
    public Stream<RouteFilter> filters() {
        return rules.stream()
                .flatMap(rule -> Stream.concat(
                        rule.filters().stream(),
                        rule.backends().stream().flatMap(backend -> backend.filters().stream())));
    }

    /// What becomes of the requests that one of the matches fits.
    ///
    /// @param matches never empty
    public record HttpRule(
            String name,
            List<HttpMatch> matches,
            List<RouteFilter> filters,
            List<WeightedBackend> backends,
            Timeouts timeouts,
            Optional<Retry> retry,
            Optional<SessionPersistence> persistence) {
        public HttpRule {
            matches = List.copyOf(matches);
            filters = List.copyOf(filters);
            backends = List.copyOf(backends);
        }
    }

    /// All of it must fit.
    ///
    /// @param method empty for all
    public record HttpMatch(PathMatch path, List<ValueMatch> headers, List<ValueMatch> queryParameters, String method) {
        public HttpMatch {
            headers = List.copyOf(headers);
            queryParameters = List.copyOf(queryParameters);
        }
    }

    public record PathMatch(PathMatchType kind, String value) {
        public enum PathMatchType {
            EXACT,
            PREFIX,
            REGEX
        }

        /// Every path.
        public static final PathMatch ALL = new PathMatch(PathMatchType.PREFIX, "/");
    }

    /// Empty where not set; zero means that there is no limit.
    ///
    /// @param request from the request to the end of the response
    /// @param backend of one attempt
    public record Timeouts(Optional<Duration> request, Optional<Duration> backend) {
        public static final Timeouts NONE = new Timeouts(Optional.empty(), Optional.empty());
    }

    /// When to try again, and how often.
    ///
    /// @param attempts -1 when not set
    public record Retry(List<Integer> codes, int attempts, Optional<Duration> backoff) {
        public Retry {
            codes = List.copyOf(codes);
        }
    }

    /// Requests of one client go to one backend.
    ///
    /// @param name of the cookie or header; empty for any
    public record SessionPersistence(String name, By by, Optional<Duration> lasting, CookieLife cookieLife) {
        public enum By {
            COOKIE,
            HEADER
        }

        public enum CookieLife {
            SESSION,
            PERMANENT
        }
    }
}
