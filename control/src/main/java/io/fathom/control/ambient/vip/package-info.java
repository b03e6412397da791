// SPDX-License-Identifier: Apache-2.0
/// Virtual addresses for hosts of ServiceEntries that have none.
///
/// Entry: [io.fathom.control.ambient.vip.VipPlanner]. Runs on the flow's writer, and is the same on each replica. Knows
/// nothing about services.
@NullMarked
package io.fathom.control.ambient.vip;

import org.jspecify.annotations.NullMarked;
