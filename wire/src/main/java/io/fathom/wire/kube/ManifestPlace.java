// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

/// Where people wrote an object.
///
/// @param line where it begins, counted from 1
public record ManifestPlace(String file, int line) {}
