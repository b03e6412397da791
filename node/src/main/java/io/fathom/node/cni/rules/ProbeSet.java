// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import java.util.Map;

/// The addresses of captured pods, known to the host's rules, each with the UID of its pod. Addresses of a family that
/// is not captured are ignored. Blocks; for any thread.
public interface ProbeSet {
    /// Makes the sets if they are missing; entries stay.
    void prepare();

    /// Takes the address over if it was another pod's.
    void put(Ip address, String uid);

    /// Nothing happens if the address belongs to another pod by now.
    void remove(Ip address, String uid);

    Map<Ip, String> entries();

    /// Removes all entries.
    void flush();

    /// Removes the sets; also if there are none. The rules that use them must be gone.
    void discard();
}
