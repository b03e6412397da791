// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

/// Tells of pods and namespaces, in batches of which the first is everything, on one thread at a time.
interface PodSource extends AutoCloseable {
    @Override
    void close();
}
