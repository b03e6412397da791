// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import java.util.List;

/// Makes the resources of types that differ from client to client. Pure: the same arguments give the same answer.
public interface Generator {
    /// Serves nothing: clients of such types get an empty answer instead of none.
    Generator NONE = (_, _, _) -> List.of();

    /// All resources of that type for that client.
    List<XdsResource> generate(ClientNode node, XdsType type, StoreCut cut);

    /// Whether that client's resources at `cut` may differ from those it had at the cut with sequence `since`.
    default boolean mayDiffer(ClientNode node, XdsType type, long since, StoreCut cut) {
        return !equals(NONE);
    }
}
