// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.XdsType;
import java.util.List;

/// What a client has answered to the latest response of a type.
///
/// @param names of the resources that are meant: for a refusal those that the client complains of
/// @param sequence of the cut that the response was made from
public record Verdict(XdsType type, List<String> names, long sequence) {
    public Verdict {
        names = List.copyOf(names);
    }
}
