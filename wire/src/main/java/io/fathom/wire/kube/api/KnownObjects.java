// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which objects a watch has seen, in which version: all that is kept of them, some 100 bytes each. Tells its receiver
/// what differs. For the thread of the watch; [#size()] for any.
final class KnownObjects {
    /// One object; stands for itself as a key.
    private static final class Known {
        private final String namespace;
        private final String name;
        private final String uid;
        private String version;
        private int round;

        private Known(String namespace, String name, String uid, String version) {
            this.namespace = namespace;
            this.name = name;
            this.uid = uid;
            this.version = version;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Known known && name.equals(known.name) && namespace.equals(known.namespace);
        }

        @Override
        public int hashCode() {
            return 31 * namespace.hashCode() + name.hashCode();
        }
    }

    private final ObjectWatch.Receiver receiver;
    private final Map<Known, Known> objects = new HashMap<>();
    private final Map<String, String> namespaces = new HashMap<>();
    private int round;
    private volatile int size;

    KnownObjects(ObjectWatch.Receiver receiver) {
        this.receiver = receiver;
    }

    int size() {
        return size;
    }

    /// All objects come now. Those that have not been put until [#end()] are gone.
    void begin() {
        round++;
    }

    void end() {
        var gone = new ArrayList<Known>();
        objects.values().forEach(known -> {
            if (known.round != round) {
                gone.add(known);
            }
        });
        gone.forEach(this::remove);
    }

    void put(KubeObject object) {
        var now = of(object);
        var before = objects.get(now);
        if (before != null && before.uid.equals(now.uid)) {
            before.round = round;
            if (before.version.equals(now.version) && !now.version.isEmpty()) {
                return;
            }
            receiver.put(object);
            before.version = now.version;
            return;
        }
        if (before != null) {
            remove(before);
        }
        receiver.put(object);
        now.round = round;
        objects.put(now, now);
        size = objects.size();
    }

    void remove(KubeObject object) {
        var before = objects.get(of(object));
        if (before != null) {
            remove(before);
        }
    }

    private void remove(Known known) {
        receiver.remove(known.namespace, known.name, known.uid);
        objects.remove(known);
        size = objects.size();
    }

    /// Whatever is put next counts as changed.
    void doubt() {
        objects.values().forEach(known -> known.version = "");
    }

    private Known of(KubeObject object) {
        var namespace = namespaces.computeIfAbsent(object.namespace(), text -> text);
        return new Known(namespace, object.name(), object.uid(), object.resourceVersion());
    }
}
