// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

/// How busy an endpoint is, as this node knows it: for example its open connections.
@FunctionalInterface
public interface Load {
    /// Nobody is busier than anybody else: draws are then purely random.
    Load UNKNOWN = _ -> 0;

    int of(String workloadUid);
}
