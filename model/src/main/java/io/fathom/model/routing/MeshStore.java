// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import java.util.List;
import java.util.Optional;

/// The mesh as it changes: one thread applies deltas, any thread reads the latest view. A delta costs what it touches,
/// and each service whose endpoints it changes is worked on once.
public final class MeshStore {
    private final Pool pool = new Pool();
    private volatile MeshView view;

    /// Starts empty.
    ///
    /// @param node whose workloads count as local; all do when it is empty
    public MeshStore(Optional<String> node) {
        this.view = MeshView.empty(node);
    }

    public MeshView view() {
        return view;
    }

    /// Applies all of it at once and says what it did. For one thread at a time.
    public Applied apply(MeshDelta delta) {
        var draft = new MeshDraft(view, pool);
        var unknown = draft.apply(delta);
        var before = view;
        var after = draft.view();
        view = after;
        return new Applied(before, after, unknown);
    }

    /// What a delta did.
    ///
    /// @param unknown names to be removed that were not there: worth a warning
    public record Applied(MeshView before, MeshView after, List<String> unknown) {}
}
