// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.model.mesh.Address;
import io.fathom.model.routing.MeshDelta;
import io.fathom.model.routing.MeshView;
import java.util.ArrayList;
import java.util.List;

/// The workloads of this node as a change, for somebody who was not there when they came.
final class StateReplay {
    private StateReplay() {}

    static StateChange of(MeshView view) {
        var local = new ArrayList<Address>();
        view.forEachLocalWorkload(local::add);
        return new StateChange(view, view, MeshDelta.ofAddresses(local, List.of()));
    }
}
