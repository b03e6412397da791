// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

/// What Fathom adds to resources of the Workload API, as extensions that stock clients ignore.
final class Extensions {
    /// The name of the one that sends plain connections to a workload through its waypoint. It says nothing more.
    static final String HAIRPIN = "io.fathom.hairpin";

    /// The type of a configuration that has no fields.
    static final String NOTHING = "type.googleapis.com/google.protobuf.Empty";

    private Extensions() {}
}
