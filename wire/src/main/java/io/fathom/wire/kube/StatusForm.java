// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// What the control plane writes into the status of the objects of a kind.
public sealed interface StatusForm {
    /// Nothing.
    record Unwritten() implements StatusForm {}

    /// Conditions about the object as a whole.
    ///
    /// @param owners who writes which types, at least one
    record Conditions(Merging merging, Generation generation, List<Owner> owners) implements StatusForm {
        public Conditions {
            owners = List.copyOf(owners);
        }

        /// The types that are ours, whether we write them now or not.
        public Set<String> types() {
            return owners.stream().flatMap(owner -> owner.types().stream()).collect(Collectors.toUnmodifiableSet());
        }

        /// Who the API server notes as the owner of conditions of these types.
        public String manager(Set<String> written) {
            return owners.stream()
                    .filter(owner -> owner.types().stream().anyMatch(written::contains))
                    .findFirst()
                    .orElse(owners.getLast())
                    .manager();
        }
    }

    /// An entry with conditions for each object that this one is judged for.
    ///
    /// @param list the field with the entries, such as `parents`
    /// @param ref the field of an entry that names the other object
    record Entries(String list, String ref) implements StatusForm {}

    /// A field manager and its types of conditions. The names are upstream's, so that either control plane can change
    /// what the other wrote.
    record Owner(String manager, Set<String> types) {
        public Owner {
            types = Set.copyOf(types);
        }
    }

    /// What the API server does with conditions that are applied.
    enum Merging {
        /// Each is by itself; those of others stay.
        MERGED,
        /// The list is one value: whoever writes it must carry the conditions of others along.
        REPLACED
    }

    /// Whether conditions say which generation of the object they are about.
    enum Generation {
        OBSERVED,
        LEFT_OUT
    }

    StatusForm UNWRITTEN = new Unwritten();
    StatusForm PARENTS = new Entries("parents", "parentRef");
    StatusForm ANCESTORS = new Entries("ancestors", "ancestorRef");

    /// Conditions of a Kubernetes kind.
    static StatusForm merged(String manager, String... types) {
        return new Conditions(Merging.MERGED, Generation.LEFT_OUT, List.of(new Owner(manager, Set.of(types))));
    }

    /// Conditions of one of Istio's kinds.
    static StatusForm replaced(Generation generation, Owner... owners) {
        return new Conditions(Merging.REPLACED, generation, List.of(owners));
    }

    static Owner owner(String manager, String... types) {
        return new Owner(manager, Set.of(types));
    }
}
