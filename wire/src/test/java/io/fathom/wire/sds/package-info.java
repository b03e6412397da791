// SPDX-License-Identifier: Apache-2.0
/// Secrets against a real client.
@NullMarked
package io.fathom.wire.sds;

import org.jspecify.annotations.NullMarked;
