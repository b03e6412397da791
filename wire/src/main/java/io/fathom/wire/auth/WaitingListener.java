// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.auth;

import io.grpc.ServerCall;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Keeps the events of a call until there is somebody to hear them. As nobody asks for messages before, these are a
/// handful at most.
final class WaitingListener<Q> extends ServerCall.Listener<Q> {
    private final List<Runnable> waiting = new ArrayList<>();
    private ServerCall.@Nullable Listener<Q> listener;

    /// From here on events go to `opened`, those that waited first.
    synchronized void open(ServerCall.Listener<Q> opened) {
        listener = opened;
        waiting.forEach(Runnable::run);
        waiting.clear();
    }

    @Override
    public void onMessage(Q message) {
        tell(() -> listener().onMessage(message));
    }

    @Override
    public void onHalfClose() {
        tell(() -> listener().onHalfClose());
    }

    @Override
    public void onCancel() {
        tell(() -> listener().onCancel());
    }

    @Override
    public void onComplete() {
        tell(() -> listener().onComplete());
    }

    @Override
    public void onReady() {
        tell(() -> listener().onReady());
    }

    private void tell(Runnable event) {
        synchronized (this) {
            if (listener == null) {
                waiting.add(event);
                return;
            }
        }
        event.run();
    }

    private synchronized ServerCall.Listener<Q> listener() {
        if (listener == null) {
            throw new IllegalStateException("events wait until the call is open");
        }
        return listener;
    }
}
