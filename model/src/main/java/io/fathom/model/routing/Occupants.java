// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The workloads under one key of an index: nearly always one, which then needs no list.
sealed interface Occupants permits Member, Occupants.Crowd {
    /// Best first.
    record Crowd(List<Member> members) implements Occupants {}

    default List<Member> list() {
        return switch (this) {
            case Member member -> List.of(member);
            case Crowd(var members) -> members;
        };
    }

    static Occupants with(@Nullable Occupants old, Member added) {
        if (old == null) {
            return added;
        }
        var members =
                Arrays.copyOf(old.list().toArray(Member[]::new), old.list().size() + 1);
        members[members.length - 1] = added;
        Arrays.sort(members, Member.BEST_FIRST);
        return new Crowd(List.of(members));
    }

    @SuppressWarnings("ReferenceEquality") // indexes hold the very members they were given
    static @Nullable Occupants without(@Nullable Occupants old, Member removed) {
        if (old == null) {
            return null;
        }
        var members = old.list().stream().filter(member -> member != removed).toList();
        return switch (members.size()) {
            case 0 -> null;
            case 1 -> members.getFirst();
            default -> new Crowd(members);
        };
    }
}
