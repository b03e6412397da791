// SPDX-License-Identifier: Apache-2.0
/// Policies with random mistakes, through readers, derivations and proxies: nothing may open by mistake.
@NullMarked
package io.fathom.control.damage;

import org.jspecify.annotations.NullMarked;
