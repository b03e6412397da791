// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.lang.Problem;
import java.util.Optional;

/// All that the status of a Gateway depends on, at one moment.
///
/// @param refused why what it asks for cannot be had, if so
/// @param failure why its objects could not be written, if so
record GatewaySight(GatewayRow row, Optional<Problem> refused, Optional<Problem> failure) {}
