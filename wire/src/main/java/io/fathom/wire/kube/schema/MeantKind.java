// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.schema;

import io.fathom.base.lang.Likeness;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The kind that was probably meant by an apiVersion and kind that no API server serves.
///
/// @param kind empty when only the group can be made out
/// @param mistakes what has to be written otherwise
public record MeantKind(String group, String version, String kind, List<MisreadException> mistakes) {
    private static final int SURE = 8;
    private static final int FEW = 14;

    /// Empty for kinds of groups that are none of our business.
    public static Optional<MeantKind> of(String apiVersion, String kind, Field object) {
        var schemas = Schemas.all();
        var slash = apiVersion.indexOf('/');
        var group = slash < 0 ? "" : apiVersion.substring(0, slash);
        var version = apiVersion.substring(slash + 1);
        if (schemas.groups().contains(group)) {
            var meant = schemas.kinds(group).contains(kind)
                    ? Optional.of(meant(group, version, kind))
                    : elsewhere(group, kind, version).or(() -> like(group, version, kind));
            return Optional.of(meant.orElseGet(() -> new MeantKind(group, version, "", List.of()))
                    .told(apiVersion, kind, object));
        }
        return schemas.groups().stream()
                .filter(known -> isLike(group, known))
                .flatMap(known -> like(known, version, kind).stream())
                .findFirst()
                .or(() -> mayBeMisspelled(group) ? elsewhere(group, kind, version) : Optional.empty())
                .map(meant -> meant.told(apiVersion, kind, object));
    }

    private static MeantKind meant(String group, String version, String kind) {
        var versions = Schemas.all().versions(group, kind);
        var best = versions.contains(version)
                ? version
                : Likeness.closestName(version, versions).orElse(versions.contains("v1") ? "v1" : versions.getFirst());
        return new MeantKind(group, best, kind, List.of());
    }

    private static Optional<MeantKind> like(String group, String version, String kind) {
        return Likeness.closestName(kind, Schemas.all().kinds(group)).map(close -> meant(group, version, close));
    }

    /// A kind of that name in another group: of the same project if there is one.
    private static Optional<MeantKind> elsewhere(String group, String kind, String version) {
        var groups = Schemas.all().groups().stream()
                .filter(known -> Schemas.all().kinds(known).contains(kind))
                .toList();
        return groups.stream()
                .filter(known -> isIstio(known) == isIstio(group))
                .findFirst()
                .or(() -> groups.stream().findFirst())
                .map(known -> meant(known, version, kind));
    }

    private static boolean isIstio(String group) {
        return group.endsWith("istio.io");
    }

    private static boolean isLike(String group, String known) {
        return !known.isEmpty() && Likeness.distance(group, known) <= (known.length() > SURE ? 2 : 1);
    }

    /// Groups that only these projects have, or nobody: short ones, and those of their domains.
    private static boolean mayBeMisspelled(String group) {
        return !group.contains(".") || isIstio(group) || group.endsWith("networking.k8s.io");
    }

    private MeantKind told(String apiVersion, String written, Field object) {
        var found = new ArrayList<MisreadException>();
        var right = group.isEmpty() ? version : group + "/" + version;
        var field = object.at("apiVersion");
        if (kind.isEmpty()) {
            var kinds = Schemas.all().kinds(group);
            found.add(object.at("kind")
                    .wrong(
                            "manifest-unknown-kind",
                            "is \"" + written + "\", which is no kind of " + apiVersion,
                            kinds.size() <= FEW
                                    ? "write one of " + String.join(", ", kinds)
                                    : "check apiVersion and kind"));
        } else if (apiVersion.isEmpty()) {
            found.add(field.missing("write apiVersion: " + right));
        } else if (!apiVersion.equals(right)) {
            found.add(field.wrong(
                    "manifest-unsupported-version",
                    "is " + apiVersion + ", which has no kind " + written,
                    "write apiVersion: " + right));
        }
        if (!kind.isEmpty() && !kind.equals(written)) {
            found.add(object.at("kind")
                    .wrong(
                            "manifest-unknown-kind",
                            "is \"" + written + "\", which is no kind of " + right,
                            "write " + kind));
        }
        return new MeantKind(group, version, kind, found);
    }
}
