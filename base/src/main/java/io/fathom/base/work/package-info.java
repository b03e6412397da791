// SPDX-License-Identifier: Apache-2.0
/// Work that repeats itself: [io.fathom.base.work.WorkQueue] runs a task for keys and tries again what fails,
/// [io.fathom.base.work.RefreshedValues] keeps values that are loaded from elsewhere, [io.fathom.base.work.Parts] stops
/// what was started. Knows nothing about meshes.
@NullMarked
package io.fathom.base.work;

import org.jspecify.annotations.NullMarked;
