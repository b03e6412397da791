// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.revision;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// The tags of a cluster, as `istioctl tag set` makes them: a MutatingWebhookConfiguration with the labels
/// `istio.io/tag` and `istio.io/rev` says that the tag stands for the revision. Objects may name either. Followed by a
/// watch; any thread may ask at any time, and before the first answer there are no tags.
public final class RevisionTags implements AutoCloseable {
    private static final String TAG = "istio.io/tag";
    private static final String REVISION = "istio.io/rev";
    private static final String DEFAULT = "default";

    private record Tag(String name, String revision) {}

    private final String revision;
    private final List<Runnable> subscribers = new CopyOnWriteArrayList<>();
    private final Map<String, Tag> byObject = new HashMap<>(); // confined to the watch
    private volatile Map<String, String> revisions = Map.of(); // by tag
    private volatile boolean known;
    private final ObjectWatch watch;

    private RevisionTags(KubeClient client, String revision) {
        this.revision = revision;
        this.watch = client.watch(KubeQuery.all(KubeResource.MUTATING_WEBHOOKS).withLabels(TAG), this::changed);
    }

    /// Begins at once.
    ///
    /// @param revision of this control plane
    public static RevisionTags follow(KubeClient client, String revision) {
        return new RevisionTags(client, revision);
    }

    /// Calls `onChange` when tags are known, and after they have come, gone or moved, on the thread of the watch.
    public void subscribe(Runnable onChange) {
        subscribers.add(onChange);
    }

    private void changed(List<ObjectWatch.Change> batch) {
        for (var change : batch) {
            switch (change) {
                case ObjectWatch.Change.Put put -> {
                    var tag = tag(put.object());
                    if (tag.isPresent()) {
                        byObject.put(put.object().name(), tag.get());
                    } else {
                        byObject.remove(put.object().name());
                    }
                }
                case ObjectWatch.Change.Remove gone -> byObject.remove(gone.name());
            }
        }
        var after = new HashMap<String, String>();
        byObject.values().forEach(tag -> after.put(tag.name(), tag.revision()));
        if (!known || !after.equals(revisions)) {
            revisions = Map.copyOf(after);
            known = true;
            subscribers.forEach(Runnable::run);
        }
    }

    private static Optional<Tag> tag(KubeObject object) {
        try {
            var labels = object.metadata().at("labels");
            return Optional.of(
                            new Tag(labels.at(TAG).text(), labels.at(REVISION).text()))
                    .filter(tag -> !tag.name().isEmpty() && !tag.revision().isEmpty());
        } catch (MisreadException e) {
            return Optional.empty();
        }
    }

    /// Whether they have been read once.
    public boolean areKnown() {
        return known;
    }

    /// The revision that a tag or revision stands for: itself, if it is no tag.
    public String resolve(String name) {
        return revisions.getOrDefault(name, name);
    }

    /// Whether an object labelled `istio.io/rev` with that value is for us. One without the label is for whoever is
    /// the default.
    public boolean isOurs(Optional<String> label) {
        return resolve(label.filter(value -> !value.isEmpty()).orElse(DEFAULT)).equals(revision);
    }

    /// The revision that stands for all objects which name none.
    public String defaultRevision() {
        return resolve(DEFAULT);
    }

    @Override
    public void close() {
        watch.close();
    }
}
