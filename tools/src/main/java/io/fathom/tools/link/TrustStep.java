// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.tools.link.LinkStep.LinkAction;

/// What is to be done about the roots of one cluster in another.
///
/// @param context where
/// @param shape as it is to be or, to be removed, as it is
/// @param why empty where that needs no word
record TrustStep(String context, LinkAction action, TrustShape shape, String why) {
    boolean writes() {
        return switch (action) {
            case CREATED, CHANGED, REMOVED -> true;
            case UNCHANGED, WITHHELD, LEFT_ALONE -> false;
        };
    }
}
