// SPDX-License-Identifier: Apache-2.0
/// Tests of HBONE over real sockets on loopback.
@NullMarked
package io.fathom.wire.hbone;

import org.jspecify.annotations.NullMarked;
