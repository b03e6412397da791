// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

/// Up to where one cluster is known.
///
/// @param origin the number of that cluster
public record OriginMark(int origin, FactVersion version) {}
