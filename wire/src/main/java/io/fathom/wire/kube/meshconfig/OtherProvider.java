// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

/// A provider of a kind that is not read. It keeps its name taken, and users can be told why it cannot be used.
///
/// @param kind its field in the mesh configuration, such as `prometheus`; empty when it has none
public record OtherProvider(String name, String kind) implements ExtensionProvider {}
