// SPDX-License-Identifier: Apache-2.0
/// The services of a whole fleet in little memory: [io.fathom.fleet.facts.FactStore] holds what each cluster said,
/// [io.fathom.fleet.facts.ViewQueue] works out what one cluster is due of it. Values and arrays, guarded by whoever
/// uses them; knows no streams, no files and no clock.
@NullMarked
package io.fathom.fleet.facts;

import org.jspecify.annotations.NullMarked;
