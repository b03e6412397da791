// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.vip;

import io.fathom.control.ambient.vip.VipPool.Supply;
import io.fathom.model.mesh.Ip;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Takes addresses from a [VipPool] during one round; [#pool()] is what remains. Used by one thread.
///
/// Addresses go out in sequence and start over at the end of the block, so one that was given up is not seen again
/// soon: clients may have cached it. Only what an opted-out entry hands back is used first.
final class VipWalk {
    private final VipPool before;
    private @Nullable NavigableSet<Ip> returned; // a copy, made before the first change
    private Ip next;
    private Supply supply;

    VipWalk(VipPool before) {
        this.before = before;
        this.next = before.next();
        this.supply = before.supply();
    }

    VipPool pool() {
        return new VipPool(before.block(), next, returned == null ? before.returned() : returned, supply);
    }

    boolean isExhausted() {
        return supply == Supply.EXHAUSTED;
    }

    /// The first free address.
    ///
    /// @param occupied for an address in use, the last one of the run in use that it belongs to
    Optional<Ip> take(Function<Ip, Optional<Ip>> occupied) {
        if (returned != null || !before.returned().isEmpty()) {
            var left = returned();
            for (var lowest = left.pollFirst(); lowest != null; lowest = left.pollFirst()) {
                if (occupied.apply(lowest).isEmpty()) {
                    return Optional.of(lowest);
                }
            }
        }
        if (isExhausted()) {
            return Optional.empty();
        }
        var found = walk(occupied);
        found.ifPresentOrElse(ip -> next = after(ip), () -> supply = Supply.EXHAUSTED);
        return found;
    }

    /// Those of the addresses that are in the block will be used before any other.
    void giveBack(List<Ip> addresses) {
        addresses.stream().filter(before.block()::contains).forEach(returned()::add);
    }

    /// To be called when any address is given up.
    void makeRoom() {
        supply = Supply.UNKNOWN;
    }

    private Optional<Ip> walk(Function<Ip, Optional<Ip>> occupied) {
        var candidate = next;
        var wrapped = false;
        while (!wrapped || candidate.compareTo(next) < 0) {
            var last = occupied.apply(candidate);
            if (last.isEmpty()) {
                return Optional.of(candidate);
            }
            var following = after(last.get());
            if (following.compareTo(candidate) <= 0) {
                if (wrapped) {
                    break;
                }
                wrapped = true;
            }
            candidate = following;
        }
        return Optional.empty();
    }

    private Ip after(Ip ip) {
        var following = ip.next();
        return before.block().contains(following) && following.compareTo(ip) > 0
                ? following
                : before.block().address().next();
    }

    private NavigableSet<Ip> returned() {
        if (returned == null) {
            returned = new TreeSet<>(before.returned());
        }
        return returned;
    }
}
