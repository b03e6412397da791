// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.mesh.Ip;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/// Resolves the names of endpoints that have no address.
@FunctionalInterface
public interface NameResolver {
    /// An address, one of the preferred family if there is any; empty if the name has none or nobody answers. Called
    /// on event loops: never blocks.
    CompletionStage<Optional<Ip>> resolve(String hostname, Ip.Family preferred);
}
