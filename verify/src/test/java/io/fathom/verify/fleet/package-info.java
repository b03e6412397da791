// SPDX-License-Identifier: Apache-2.0
/// A fleet of real processes: a management server and agents, each on a folder.
@NullMarked
package io.fathom.verify.fleet;

import org.jspecify.annotations.NullMarked;
