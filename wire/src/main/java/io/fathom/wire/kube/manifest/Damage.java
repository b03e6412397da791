// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

/// That a part of an object which protects something cannot be understood, and what holds until it is mended: never
/// more than its author can have meant to allow.
///
/// @param reach for whom it counts meanwhile
/// @param inForce what it does meanwhile, in words: `denies everything in all of namespace shop`
public record Damage(Reach reach, String inForce) {
    /// Whether it could be read what the object selects or targets.
    public enum Reach {
        AS_WRITTEN,
        /// It could not: the object counts for all that an object of its namespace can reach.
        ALL_OF_NAMESPACE
    }

    public boolean reachesAllOfNamespace() {
        return reach == Reach.ALL_OF_NAMESPACE;
    }
}
