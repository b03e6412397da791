// SPDX-License-Identifier: Apache-2.0
/// Ordering certificates.
@NullMarked
package io.fathom.wire.ca;

import org.jspecify.annotations.NullMarked;
