// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.store.FileRecord;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// What of a fleet outlives its management servers: keys, members and tokens. What a method has kept is there after any
/// crash. Any thread.
///
/// A store may be shared by several servers, which then hear of each other's changes. What must not happen twice, such
/// as taking the name of a cluster, is decided within [#exclusively].
public interface FleetStore extends AutoCloseable {
    /// The keys of the fleet.
    ///
    /// @param made gives new ones where there are none yet
    FileRecord authority(Supplier<FileRecord> made);

    /// All clusters that are or were members.
    Collection<Registration> registrations();

    /// One of them as it was last heard of.
    Optional<Registration> registration(String uid);

    /// A number that no cluster has or had.
    int nextHandle();

    /// Replaces what is known of a cluster.
    ///
    /// @param before what it is made of; within [#exclusively] that does not matter
    /// @throws ProblemException when it cannot be kept, or there is something else by now: nothing has changed then
    void keep(Registration before, Registration after);

    /// All tokens, also those that are used up.
    Collection<StoredToken> tokens();

    /// The token with that id as it is at this moment.
    Optional<StoredToken> token(String id);

    /// Keeps a new one.
    void issue(StoredToken token);

    /// Uses a token up. Of several that try, one succeeds.
    ///
    /// @param key fingerprint of the key that it was used with
    /// @throws ProblemException when another key was first
    void use(StoredToken token, String key);

    void forget(StoredToken token);

    /// Makes a change that nobody else's comes in between of: what the store says is up to date, and what is kept is
    /// kept only if that still holds. The change may run several times; then only the last one counts.
    <T> T exclusively(Supplier<T> change);

    /// Tells of changes that others have made.
    ///
    /// @param listener gets the UID of the cluster
    void follow(Consumer<String> listener);

    @Override
    void close();
}
