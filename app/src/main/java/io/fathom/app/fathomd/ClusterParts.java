// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.http.Pages;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All parts that work on the cluster: started in the order of the list, closed in reverse.
final class ClusterParts implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ClusterParts.class);

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
        for (var part : parts.reversed()) {
            try {
                part.close();
            } catch (RuntimeException e) {
                log.atWarn().setCause(e).log("a part did not stop cleanly"); // the others have to stop all the same
            }
        }
        parts.clear();
    }
}
