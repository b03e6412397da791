// SPDX-License-Identifier: Apache-2.0
/// Tests of routes: tables on messages, and real requests through a stock Envoy.
@NullMarked
package io.fathom.control.envoy.route;

import org.jspecify.annotations.NullMarked;
