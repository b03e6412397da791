// SPDX-License-Identifier: Apache-2.0
/// What a debugger may ask on an xDS stream, and how it is answered.
///
/// Entry: [io.fathom.wire.xds.debug.DebugAnswers], on the thread of the call. Knows nothing about pushes.
@NullMarked
package io.fathom.wire.xds.debug;

import org.jspecify.annotations.NullMarked;
