// SPDX-License-Identifier: Apache-2.0
/// What tests of translations share: a stock Envoy, and applications behind it.
@NullMarked
package io.fathom.control.envoy;

import org.jspecify.annotations.NullMarked;
