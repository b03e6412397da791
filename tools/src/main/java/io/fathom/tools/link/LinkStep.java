// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import java.util.Locale;

/// What is to be done about one Gateway in one cluster.
///
/// @param context where
/// @param shape of the Gateway, as it is to be or, to be removed, as it is
/// @param why empty where that needs no word
record LinkStep(String context, LinkAction action, PeerShape shape, String why) {
    enum LinkAction {
        CREATED,
        CHANGED,
        UNCHANGED,
        REMOVED,
        /// Somebody else's Gateway stands for that cluster already.
        WITHHELD,
        /// Ours, for a cluster that is not among those that are linked.
        LEFT_ALONE;

        String title() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    boolean writes() {
        return switch (action) {
            case CREATED, CHANGED, REMOVED -> true;
            case UNCHANGED, WITHHELD, LEFT_ALONE -> false;
        };
    }
}
