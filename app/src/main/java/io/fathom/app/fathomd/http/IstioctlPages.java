// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.PageText;
import io.fathom.app.http.Pages;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.xds.debug.DebugPages;
import java.util.Map;
import java.util.Set;

/// The debug pages for `istioctl`, which asks for them over xDS, and who we are in its words.
///
/// @param namespaces whose clients may see everything
public record IstioctlPages(Pages pages, String name, BuildInfo build, Set<String> namespaces) implements DebugPages {
    public IstioctlPages {
        namespaces = Set.copyOf(namespaces);
    }

    @Override
    public String identifier() {
        var info = Map.of(
                "version",
                build.version(),
                "revision",
                build.revision(),
                "golang_version",
                "none",
                "status",
                build.status(),
                "tag",
                build.version());
        return Json.compact(Json.of(Map.of("Component", "istiod", "ID", name, "Info", info)));
    }

    @Override
    public boolean showsAllTo(String namespace) {
        return namespaces.contains(namespace);
    }

    @Override
    public String body(String page) {
        return PageText.ofDebug(pages, page);
    }
}
