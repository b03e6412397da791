// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.stream.XdsStream;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// What others wait for of one stream; few at a time. Any thread may add; only the one that works on the stream checks.
final class ExpectedMilestones {
    private final AdsCall call;
    private final Set<Acknowledgements.Awaited> all = ConcurrentHashMap.newKeySet();

    ExpectedMilestones(AdsCall call) {
        this.call = call;
    }

    void add(Acknowledgements.Awaited awaited) {
        all.add(awaited);
    }

    void remove(Acknowledgements.Awaited awaited) {
        all.remove(awaited);
    }

    /// Tells those whose milestone the client has acknowledged or refused.
    void check(XdsStream stream) {
        if (all.isEmpty()) {
            return;
        }
        for (var awaited : Set.copyOf(all)) {
            switch (stream.standing(awaited.milestone())) {
                case BEHIND -> {}
                case ACKNOWLEDGED -> {
                    all.remove(awaited);
                    awaited.reached(call);
                }
                case REFUSED -> {
                    all.remove(awaited);
                    awaited.refused();
                }
            }
        }
    }

    /// The client has gone.
    void leave() {
        all.forEach(awaited -> awaited.left(call));
    }
}
