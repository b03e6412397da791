// SPDX-License-Identifier: Apache-2.0
/// Protobuf messages without a runtime for them: for those that are written by the thousand, and for programs that must
/// be small. Knows no message; fields go by their numbers.
@NullMarked
package io.fathom.wire.protobuf;

import org.jspecify.annotations.NullMarked;
