// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

/// Makes a result from one row and what it fetches. Must be pure: same answers, same result.
@FunctionalInterface
public interface Derivation<K, V, R> {
    R derive(Fetch<K> fetch, V value);
}
