package io.fathom.wire.kube;

import java.util.List;
import java.util.Locale;

/// A kind that the mesh reads, as an API server names it.
///
/// @param plural in lower case, as in paths
/// @param versions that we read, the one to ask for first
/// @param type what its objects become
public record ServedKind(
        String group, String kind, String plural, List<String> versions, Home home, Class<? extends Manifest> type) {

    /// Where its objects live.
    public enum Home {
        CLUSTER,
        NAMESPACE
    }

    public ServedKind {
        versions = List.copyOf(versions);
    }

    /// Every kind that is read.
    public static List<ServedKind> all() {
        return ManifestKind.all().stream()
                .map(kind -> new ServedKind(
                        kind.group(),
                        kind.kind(),
                        plural(kind.kind()),
                        kind.versions(),
                        kind.scope() == ManifestKind.Scope.CLUSTER ? Home.CLUSTER : Home.NAMESPACE,
                        kind.type()))
                .toList();
    }

    private static String plural(String kind) {
        var word = kind.toLowerCase(Locale.ROOT);
        if (word.endsWith("y") && !word.endsWith("ay")) {
            return word.substring(0, word.length() - 1) + "ies";
        }
        return word.endsWith("s") ? word + "es" : word + "s";
    }
}
