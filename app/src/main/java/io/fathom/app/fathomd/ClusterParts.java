// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.http.Pages;
import io.fathom.base.work.Parts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/// All parts that work on the cluster: started in the order of the list, closed in reverse.
final class ClusterParts implements AutoCloseable {
    /// One line for each part.
    private static final List<Function<ClusterLink, ClusterPart>> ALL =
            List.of(StatusPart::new, GatewayPart::new, RootsPart::new, WebhookPart::new);

    private final List<ClusterPart> parts = new ArrayList<>();

    private ClusterParts() {}

    static ClusterParts none() {
        return new ClusterParts();
    }

    static ClusterParts of(ClusterLink link) {
        return of(ALL, link);
    }

    static ClusterParts of(List<Function<ClusterLink, ClusterPart>> makers, ClusterLink link) {
        var made = new ClusterParts();
        try {
            makers.forEach(maker -> made.parts.add(maker.apply(link)));
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
        return made;
    }

    void start() {
        parts.forEach(ClusterPart::start);
    }

    /// Those of a kind.
    <T extends ClusterPart> Stream<T> all(Class<T> kind) {
        return parts.stream().filter(kind::isInstance).map(kind::cast);
    }

    void addTo(Pages pages) {
        parts.forEach(part -> part.addTo(pages));
    }

    @Override
    public void close() {
        try (var closing = new Parts()) {
            parts.forEach(closing::keep);
        }
        parts.clear();
    }
}
