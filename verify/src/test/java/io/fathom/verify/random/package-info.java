// SPDX-License-Identifier: Apache-2.0
/// Random clusters: valid objects of every kind that the mesh reads, and random changes to them.
///
/// Entry: [io.fathom.verify.random.RandomCluster]. The same seed always tells the same story. What upstream is known to
/// get wrong does not occur, so that two control planes that both do the right thing agree.
@NullMarked
package io.fathom.verify.random;

import org.jspecify.annotations.NullMarked;
