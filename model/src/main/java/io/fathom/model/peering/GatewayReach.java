// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// How one address of another cluster's gateway is reached from here.
///
/// @param gateway `namespace/name` of the Gateway here that names the address
/// @param cluster that the Gateway stands for; empty where it does not say
/// @param network that it leads to
/// @param address with the port that is dialled
/// @param verdict what follows from the probes
/// @param since when the verdict began
/// @param failures how many probes failed in a row
/// @param answered when it was last proven to be that cluster's; empty for never
/// @param roundTrip how long the last handshake took; zero for none
/// @param seen the identity that answered last; empty for none
/// @param code of what was wrong with the last probe; empty for nothing
/// @param reason the same for people
public record GatewayReach(
        String gateway,
        String cluster,
        String network,
        String address,
        Reachability verdict,
        Instant since,
        int failures,
        Optional<Instant> answered,
        Duration roundTrip,
        String seen,
        String code,
        String reason) {}
