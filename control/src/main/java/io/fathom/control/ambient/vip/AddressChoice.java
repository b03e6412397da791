// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.vip;

import io.fathom.base.flow.PersistentMap;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/// Who gets which address of a block, as hashes of the names say. Immutable.
///
/// A name has a list of addresses, the one it likes best first, all in the upper half of the block: what is given out
/// in sequence begins below. Of two names that want one address the one has it that likes it better, then the smaller
/// one; the other goes on in its list. So the outcome is the same for every order of events.
///
/// @param holders who has each address
/// @param places where in its list each name is
/// @param displaced the names that did not get what they like best
record AddressChoice(
        IpBlock block,
        PersistentMap<Ip, String> holders,
        PersistentMap<String, Integer> places,
        PersistentMap<String, Boolean> displaced) {
    /// Whoever is turned away that often gets none here.
    private static final int MOST = 64;

    static AddressChoice of(IpBlock block) {
        return new AddressChoice(block.masked(), PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty());
    }

    Optional<Ip> of(String name) {
        return places.find(name).filter(place -> place < MOST).map(place -> address(name, place));
    }

    /// @param moved gets the names that have another address now
    AddressChoice with(SortedSet<String> names, Set<String> moved) {
        var result = this;
        for (var name : names) {
            result = result.with(name, moved);
        }
        return result;
    }

    private AddressChoice with(String name, Set<String> moved) {
        var held = holders;
        var at = places;
        var late = displaced;
        var seeker = name;
        var place = 0;
        while (place < MOST) {
            var wanted = address(seeker, place);
            var holder = held.get(wanted);
            if (holder != null
                    && !isBefore(seeker, place, holder, at.find(holder).orElseThrow())) {
                place++;
                continue;
            }
            held = held.with(wanted, seeker);
            at = at.with(seeker, place);
            late = place > 0 ? late.with(seeker, true) : late;
            moved.add(seeker);
            if (holder == null) {
                return new AddressChoice(block, held, at, late);
            }
            seeker = holder;
            place = at.find(holder).orElseThrow() + 1;
        }
        moved.add(seeker);
        return new AddressChoice(block, held, at.with(seeker, MOST), late.with(seeker, true));
    }

    private static boolean isBefore(String name, int place, String other, int otherPlace) {
        return place != otherPlace ? place < otherPlace : name.compareTo(other) < 0;
    }

    /// @param moved gets the names that have another address now
    AddressChoice without(SortedSet<String> names, Set<String> moved) {
        var result = this;
        for (var name : names) {
            result = result.without(name, moved);
        }
        return result;
    }

    private AddressChoice without(String name, Set<String> moved) {
        var freed = of(name);
        var left = new AddressChoice(
                block, freed.map(holders::without).orElse(holders), places.without(name), displaced.without(name));
        return freed.filter(left::isMissed).map(_ -> left.anew(moved)).orElse(left);
    }

    /// Whether somebody would rather have that address.
    private boolean isMissed(Ip address) {
        for (var name : displaced) {
            for (int place = 0; place < places.find(name.getKey()).orElseThrow(); place++) {
                if (address(name.getKey(), place).equals(address)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Rare: as if nobody else had ever been there.
    private AddressChoice anew(Set<String> moved) {
        var result = of(block);
        var ignored = new HashSet<String>();
        for (var name : places) {
            result = result.with(name.getKey(), ignored);
        }
        for (var name : places) {
            if (!result.of(name.getKey()).equals(of(name.getKey()))) {
                moved.add(name.getKey());
            }
        }
        return result;
    }

    private Ip address(String name, int place) {
        var base = block.address();
        var bits = base.family().bits() - block.length() - 1;
        var hash = hash(name, place);
        if (bits >= Long.SIZE) {
            return new Ip(base.high() | (1L << (bits - Long.SIZE)), hash, base.family());
        }
        return new Ip(base.high(), base.low() | (1L << bits) | (hash & ((1L << bits) - 1)), base.family());
    }

    /// FNV-1a, and then well mixed. Must never change, or addresses of running meshes would.
    private static long hash(String name, int place) {
        var hash = 0xcbf29ce484222325L;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
        }
        hash += place * 0x9e3779b97f4a7c15L;
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }
}
