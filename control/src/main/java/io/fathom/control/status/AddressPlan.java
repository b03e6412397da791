// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.control.ambient.status.ObjectStatus.HostAddress;
import io.fathom.wire.kube.networking.ServiceEntryManifest.AssignedAddress;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The steps that bring planned addresses into the status of a ServiceEntry. Pure.
///
/// Each patch begins with a `test` that the status is as it was when the plan was made: where another control plane
/// was faster, nothing happens.
final class AddressPlan {
    private AddressPlan() {}

    /// Whether the status names the planned addresses, in whatever order.
    static boolean isDone(List<AssignedAddress> assigned, List<HostAddress> planned) {
        return pairs(assigned).equals(Set.copyOf(planned)) && assigned.size() == planned.size();
    }

    /// Nothing when the object is not what the plan was made of: then its news are on their way to us.
    static Optional<List<Tree>> steps(Tree object, List<AssignedAddress> assigned, List<HostAddress> planned) {
        var status = entry(object, "status");
        var addresses = status.flatMap(present -> entry(present, "addresses"));
        if (!held(addresses).equals(pairs(assigned)) || isDone(assigned, planned)) {
            return Optional.empty();
        }
        if (status.isEmpty()) {
            return Optional.of(List.of(
                    step("test", "/status", Json.NOTHING),
                    step("add", "/status", Json.of(Map.of("addresses", list(planned))))));
        }
        var test = step("test", "/status/addresses", addresses.orElse(Json.NOTHING));
        return Optional.of(List.of(
                test,
                planned.isEmpty()
                        ? Json.of(Map.of("op", "remove", "path", "/status/addresses"))
                        : step("add", "/status/addresses", list(planned))));
    }

    private static Tree step(String operation, String path, Tree value) {
        return Json.of(Map.of("op", operation, "path", path, "value", value));
    }

    private static Tree list(List<HostAddress> planned) {
        return Json.of(planned.stream()
                .map(address -> Map.of("value", address.value(), "host", address.host()))
                .toList());
    }

    private static Set<HostAddress> pairs(List<AssignedAddress> assigned) {
        return assigned.stream()
                .map(address -> new HostAddress(address.host(), address.value()))
                .collect(Collectors.toSet());
    }

    private static Set<HostAddress> held(Optional<Tree> addresses) {
        var result = new HashSet<HostAddress>();
        if (addresses.isPresent() && addresses.get() instanceof Tree.Sequence sequence) {
            sequence.items().forEach(item -> result.add(new HostAddress(text(item, "host"), text(item, "value"))));
        }
        return result;
    }

    private static String text(Tree tree, String name) {
        return entry(tree, name)
                .filter(Tree.Scalar.class::isInstance)
                .map(scalar -> ((Tree.Scalar) scalar).text())
                .orElse("");
    }

    /// A null is nothing, too.
    private static Optional<Tree> entry(Tree tree, String name) {
        return tree instanceof Tree.Mapping mapping
                ? Optional.ofNullable(mapping.entries().get(name))
                        .filter(found ->
                                !(found instanceof Tree.Scalar scalar && scalar.kind() == Tree.ScalarType.NONE))
                : Optional.empty();
    }
}
