// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig;
import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.SourcedMetadata;
import io.envoyproxy.envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig;
import io.envoyproxy.envoy.type.matcher.v3.ListMatcher;
import io.envoyproxy.envoy.type.matcher.v3.MetadataMatcher;
import io.envoyproxy.envoy.type.matcher.v3.MetadataMatcher.PathSegment;
import io.envoyproxy.envoy.type.matcher.v3.PathMatcher;
import io.envoyproxy.envoy.type.matcher.v3.ValueMatcher;
import java.util.Optional;
import java.util.regex.Pattern;

/// Attributes of what is asked for, each as a permission. Empty where a value cannot be checked. Pure.
final class Requests {
    private static final String FILTERS = "experimental.";
    private static final Pattern FILTER_KEY = Pattern.compile("experimental\\.(envoy\\.filters\\.[^\\[]+)\\[([^]]+)]");

    /// `{*}` is one part of a path, `{**}` any number of them and the last that stands for others.
    private static final Pattern TEMPLATE = Pattern.compile(
            "(/([A-Za-z0-9._~%!$&'()+,;:@=-]*|\\{\\*}))*(/\\{\\*\\*}(/[A-Za-z0-9._~%!$&'()+,;:@=-]*)*)?");

    private final Dialect dialect;

    Requests(Dialect dialect) {
        this.dialect = dialect;
    }

    Optional<Permission> host(String value) {
        return http(Permission.newBuilder().setHeader(Matching.host(value)));
    }

    Optional<Permission> method(String value) {
        return http(Permission.newBuilder().setHeader(Matching.header(":method", value)));
    }

    /// Without its query.
    Optional<Permission> path(String value) {
        if (!isTemplate(value)) {
            return http(
                    Permission.newBuilder().setUrlPath(PathMatcher.newBuilder().setPath(Matching.text(value))));
        }
        if (!TEMPLATE.matcher(value).matches()) {
            return Optional.empty();
        }
        var template = UriTemplateMatchConfig.newBuilder()
                .setPathTemplate(value.replace("{*}", "*").replace("{**}", "**"));
        return http(Permission.newBuilder()
                .setUriTemplate(TypedExtensionConfig.newBuilder()
                        .setName("uri-template")
                        .setTypedConfig(Any.pack(template.build()))));
    }

    static boolean isTemplate(String path) {
        return path.contains("{*}") || path.contains("{**}");
    }

    static boolean isReadable(String path) {
        return !isTemplate(path) || TEMPLATE.matcher(path).matches();
    }

    Optional<Permission> port(String value) {
        return Matching.port(value)
                .map(port -> Permission.newBuilder().setDestinationPort(port).build());
    }

    Optional<Permission> destinationIp(String value) {
        return Matching.block(value)
                .map(block -> Permission.newBuilder().setDestinationIp(block).build());
    }

    Optional<Permission> serverName(String value) {
        return Optional.of(Permission.newBuilder()
                .setRequestedServerName(Matching.text(value))
                .build());
    }

    /// What a filter has left behind: `experimental.envoy.filters.x[key]`, values in brackets are elements of a list.
    Optional<Permission> filterMetadata(String key, String value) {
        var parts = FILTER_KEY.matcher(key);
        if (!parts.matches()) {
            return Optional.empty();
        }
        var isList = value.startsWith("[") && value.endsWith("]");
        var text = ValueMatcher.newBuilder()
                .setStringMatch(Matching.text(isList ? value.substring(1, value.length() - 1) : value));
        var matcher = isList
                ? ValueMatcher.newBuilder()
                        .setListMatch(ListMatcher.newBuilder().setOneOf(text))
                : text;
        var metadata = MetadataMatcher.newBuilder()
                .setFilter(parts.group(1))
                .addPath(PathSegment.newBuilder().setKey(parts.group(2)))
                .setValue(matcher);
        return Optional.of(Permission.newBuilder()
                .setSourcedMetadata(SourcedMetadata.newBuilder().setMetadataMatcher(metadata))
                .build());
    }

    static boolean isFilterMetadata(String key) {
        return key.startsWith(FILTERS);
    }

    private Optional<Permission> http(Permission.Builder permission) {
        return dialect.readsHttp() ? Optional.of(permission.build()) : Optional.empty();
    }
}
