// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.util.Set;

/// Which services of other clusters a cluster is to be told of.
///
/// @param mostOrigins clusters for each service; the best ones
public record Interest(InterestScope scope, int mostOrigins) {
    public static final int USUAL_ORIGINS = 8;
    public static final Interest ALL = new Interest(new InterestScope.Everything(), USUAL_ORIGINS);

    /// Which services.
    public sealed interface InterestScope {
        record Everything() implements InterestScope {}

        record Namespaces(Set<String> names) implements InterestScope {
            public Namespaces {
                names = Set.copyOf(names);
            }
        }

        /// Some services.
        ///
        /// @param paths as `namespace/name`
        record Listed(Set<String> paths) implements InterestScope {
            public Listed {
                paths = Set.copyOf(paths);
            }
        }
    }

    public Interest {
        if (mostOrigins < 1) {
            throw new IllegalArgumentException("a service comes from at least one cluster");
        }
    }

    public boolean includes(String path) {
        return switch (scope) {
            case InterestScope.Everything() -> true;
            case InterestScope.Namespaces(var names) -> names.contains(path.substring(0, path.indexOf('/')));
            case InterestScope.Listed(var paths) -> paths.contains(path);
        };
    }
}
