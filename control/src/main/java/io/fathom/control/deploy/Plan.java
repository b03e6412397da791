// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.lang.Problem;
import java.util.List;

/// What is to be there for a Gateway.
sealed interface Plan {
    /// These objects, in this order.
    record Deploy(List<PlannedObject> objects) implements Plan {
        public Deploy {
            objects = List.copyOf(objects);
        }
    }

    /// Nothing of ours: the Gateway runs elsewhere, or belongs to somebody else.
    record Nothing(String why) implements Plan {}

    /// What the Gateway asks for cannot be had. What is deployed stays as it is.
    record Refused(Problem problem) implements Plan {}
}
