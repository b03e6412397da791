// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch.PathMatchType;
import io.fathom.wire.kube.gateway.RouteFilter.PathChange;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PathEditTest {
    static Stream<Arguments> prefixes() {
        return Stream.of(
                argumentSet("given a prefix", "/foo", "/bar", new PathEdit.Matched("/bar")),
                argumentSet("given slashes at both ends", "/foo/", "/bar/", new PathEdit.Matched("/bar")),
                argumentSet("given the root as replacement", "/foo", "/", new PathEdit.Regex("^/foo(/?)(.*)", "/\\2")),
                argumentSet("given nothing as replacement", "/f.o", "", new PathEdit.Regex("^/f\\.o(/?)(.*)", "/\\2")),
                argumentSet("given the root as prefix", "/", "/bar", new PathEdit.Matched("/bar/")),
                argumentSet("given the root for the root", "/", "/", new PathEdit.Nothing()));
    }

    @ParameterizedTest
    @MethodSource("prefixes")
    void whenAPrefixIsReplaced(String prefix, String replacement, PathEdit want) {
        assertThat(PathEdit.of(new PathChange.Prefix(replacement), new PathMatch(PathMatchType.PREFIX, prefix)))
                .isEqualTo(want);
    }

    @Test
    void givenAnExactMatch_whenItsPrefixIsReplaced_thenAllOfItIs() {
        var edit = PathEdit.of(new PathChange.Prefix("/"), new PathMatch(PathMatchType.EXACT, "/foo"));
        assertThat(edit).isEqualTo(new PathEdit.Matched("/"));
    }
}
