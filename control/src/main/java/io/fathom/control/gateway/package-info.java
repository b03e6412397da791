// SPDX-License-Identifier: Apache-2.0
/// What routes of the Gateway API attach to, and why not. Entry classes: [RouteJudge], which is pure, and
/// [RouteTables]. Does not know where objects come from or who writes what is found.
@NullMarked
package io.fathom.control.gateway;

import org.jspecify.annotations.NullMarked;
