// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.http.Pages;

/// Something that a control plane does in the cluster it reads from: writes statuses, deploys gateways, answers
/// webhooks. Made with the others before anything was read, closed in reverse order before the ports are.
interface ClusterPart extends AutoCloseable {
    /// Once all objects have been read. Must not block for long: what takes time goes on a thread of its own.
    void start();

    /// Pages of its own, if it has some.
    default void addTo(Pages pages) {}

    @Override
    void close();
}
