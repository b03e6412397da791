// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.refusal;

import io.fathom.wire.kube.ManifestId;

/// Something that an object says and that a resource of proxies is made from.
///
/// @param object the one that is told when proxies refuse it
/// @param content the object itself, or the part of it that counts
public record Ingredient(ManifestId object, Object content) {}
