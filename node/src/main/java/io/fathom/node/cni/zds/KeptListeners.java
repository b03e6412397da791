// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

import io.fathom.base.posix.FileIdentity;
import io.fathom.base.posix.PosixException;
import io.fathom.wire.zds.PodListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Listening sockets of pods, handed over by the proxies that serve them. They outlive a proxy that is killed: whoever
/// connects waits in the kernel's queue until the next proxy takes them over, and is not refused.
///
/// A kept socket that no proxy accepts from would swallow connections, so none are kept while a proxy is connected that
/// cannot take them over, and none of a pod whose proxy has refused it. For any thread.
final class KeptListeners {
    private final Map<String, Kept> kept = new HashMap<>();
    private int strangers;
    private int strangersEver;

    /// @param namespace where they listen
    private record Kept(FileIdentity namespace, List<PodListener> listeners) {
        void close() {
            listeners.forEach(PodListener::close);
        }
    }

    /// Other descriptors of what is kept for the pod, if it is still in that namespace. They belong to the caller.
    synchronized List<PodListener> copies(String uid, FileIdentity namespace) {
        var found = kept.get(uid);
        if (found == null || !found.namespace().equals(namespace)) {
            return List.of();
        }
        var copies = new ArrayList<PodListener>();
        try {
            for (var listener : found.listeners()) {
                copies.add(new PodListener(listener.name(), listener.socket().duplicate()));
            }
            return copies;
        } catch (PosixException e) {
            copies.forEach(PodListener::close);
            return List.of();
        }
    }

    /// Takes over what listens in the pod now; of what was kept before only that stays.
    synchronized void replace(String uid, FileIdentity namespace, List<PodListener> listeners) {
        forget(uid);
        var now = new Kept(namespace, listeners);
        if (strangers == 0 && !listeners.isEmpty()) {
            kept.put(uid, now);
        } else {
            now.close();
        }
    }

    synchronized void forget(String uid) {
        var old = kept.remove(uid);
        if (old != null) {
            old.close();
        }
    }

    /// Forgets all other pods.
    synchronized void retain(Set<String> uids) {
        kept.keySet().stream().filter(uid -> !uids.contains(uid)).toList().forEach(this::forget);
    }

    synchronized void clear() {
        retain(Set.of());
    }

    /// A proxy came that knows nothing of this.
    synchronized void strangerCame() {
        strangers++;
        strangersEver++;
        clear();
    }

    synchronized void strangerLeft() {
        strangers--;
    }

    /// Another number each time everything was thrown away for a stranger.
    synchronized int era() {
        return strangersEver;
    }

    synchronized boolean areWanted() {
        return strangers == 0;
    }
}
