// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The addresses of some blocks as sorted ranges that do not overlap: a lookup is a binary search.
final class IpSet {
    private final Ip[] first;
    private final Ip[] last;

    private IpSet(Ip[] first, Ip[] last) {
        this.first = first;
        this.last = last;
    }

    static IpSet of(List<IpBlock> blocks) {
        var sorted = blocks.stream()
                .map(IpBlock::masked)
                .distinct()
                .sorted(Comparator.comparing(IpBlock::address).thenComparingInt(IpBlock::length))
                .toList();
        var kept = new ArrayList<IpBlock>();
        for (var block : sorted) {
            // blocks nest or are apart, so the one that may hold it is the last one kept
            if (kept.isEmpty() || !kept.getLast().contains(block.address())) {
                kept.add(block);
            }
        }
        return new IpSet(
                kept.stream().map(IpBlock::address).toArray(Ip[]::new),
                kept.stream().map(IpBlock::last).toArray(Ip[]::new));
    }

    boolean contains(Ip ip) {
        int low = 0;
        int high = first.length - 1;
        while (low <= high) {
            var middle = (low + high) >>> 1;
            if (first[middle].compareTo(ip) > 0) {
                high = middle - 1;
            } else if (last[middle].compareTo(ip) < 0) {
                low = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }
}
