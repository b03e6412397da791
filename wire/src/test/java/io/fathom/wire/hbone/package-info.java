/// Tests of HBONE over real sockets on loopback.
@NullMarked
package io.fathom.wire.hbone;

import org.jspecify.annotations.NullMarked;
