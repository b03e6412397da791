// SPDX-License-Identifier: Apache-2.0
/// Benchmarks, run by `bin/bench`. Results with their command are in `docs/performance.md`.
///
/// Entry: [io.fathom.verify.bench.ControlPlaneBench].
@NullMarked
package io.fathom.verify.bench;

import org.jspecify.annotations.NullMarked;
