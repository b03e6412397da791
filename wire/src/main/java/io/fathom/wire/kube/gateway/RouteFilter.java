// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.gateway.RouteManifest.BackendRef;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What happens to a request, or its response, on the way.
public sealed interface RouteFilter {
    record RequestHeaders(HeaderChanges changes) implements RouteFilter {}

    record ResponseHeaders(HeaderChanges changes) implements RouteFilter {}

    /// A copy of so many out of so many requests goes elsewhere, too.
    record Mirror(BackendRef target, int numerator, int denominator) implements RouteFilter {}

    /// Answers with a redirect. What is empty, or 0, stays as in the request.
    record Redirect(String scheme, String hostname, Optional<PathChange> path, int port, int status)
            implements RouteFilter {}

    /// What is empty stays as in the request.
    record Rewrite(String hostname, Optional<PathChange> path) implements RouteFilter {}

    /// Which other origins may ask, as browsers check it.
    record Cors(
            List<String> origins,
            List<String> methods,
            List<String> headers,
            List<String> exposed,
            Credentials credentials,
            int maxAgeSeconds)
            implements RouteFilter {
        public enum Credentials {
            ALLOWED,
            REFUSED
        }

        public Cors {
            origins = List.copyOf(origins);
            methods = List.copyOf(methods);
            headers = List.copyOf(headers);
            exposed = List.copyOf(exposed);
        }
    }

    /// Somebody else decides.
    ///
    /// @param path before that of the request; HTTP only
    /// @param allowedHeaders of requests that are shown; empty for the protocol's own choice
    /// @param responseHeaders of the answer that are passed on; HTTP only
    /// @param bodyBytes how much of the body is shown; 0 for nothing
    record ExternalAuth(
            Protocol protocol,
            BackendRef target,
            String path,
            List<String> allowedHeaders,
            List<String> responseHeaders,
            int bodyBytes)
            implements RouteFilter {
        public enum Protocol {
            HTTP,
            GRPC
        }

        public ExternalAuth {
            allowedHeaders = List.copyOf(allowedHeaders);
            responseHeaders = List.copyOf(responseHeaders);
        }
    }

    /// Something that an implementation defines, in the namespace of the route.
    record Extension(String group, String kind, String name) implements RouteFilter {}

    /// What becomes of headers: `set` replaces, `add` appends.
    record HeaderChanges(List<Header> set, List<Header> add, List<String> remove) {
        public HeaderChanges {
            set = List.copyOf(set);
            add = List.copyOf(add);
            remove = List.copyOf(remove);
        }
    }

    record Header(String name, String value) {}

    /// Another path.
    sealed interface PathChange {
        record Whole(String path) implements PathChange {}

        /// Replaces what a prefix match found.
        record Prefix(String replacement) implements PathChange {}
    }

    /// The backends that it names.
    default Stream<BackendRef> backends() {
        return switch (this) {
            case Mirror mirror -> Stream.of(mirror.target());
            case ExternalAuth auth -> Stream.of(auth.target());
            case RequestHeaders _, ResponseHeaders _, Redirect _, Rewrite _, Cors _, Extension _ -> Stream.empty();
        };
    }
}
