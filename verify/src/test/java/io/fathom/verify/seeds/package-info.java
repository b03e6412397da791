// SPDX-License-Identifier: Apache-2.0
/// What the documents print that this mesh was asked for with, run and compared: manifests, commands, shapes of
/// answers. [Excerpt] reads them from `seeds/excerpts.txt`, which names the test of each; docs/seeds.md tells where we
/// differ.
@NullMarked
package io.fathom.verify.seeds;

import org.jspecify.annotations.NullMarked;
