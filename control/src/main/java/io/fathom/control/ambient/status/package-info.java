// SPDX-License-Identifier: Apache-2.0
/// What is said about an object in its status.
///
/// Entry: [io.fathom.control.ambient.status.ObjectStatus]. Immutable. Knows nothing about why it is said.
@NullMarked
package io.fathom.control.ambient.status;

import org.jspecify.annotations.NullMarked;
