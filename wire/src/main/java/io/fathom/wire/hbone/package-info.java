// SPDX-License-Identifier: Apache-2.0
/// HBONE: HTTP/2 CONNECT over mutual TLS, at frame level on Netty. [io.fathom.wire.hbone.Tunnel] is one stream of
/// either side; the pool makes them for clients, the acceptor takes them for servers. Everything of one HTTP/2
/// connection happens on its event loop. Knows nothing of routing or policy.
@NullMarked
package io.fathom.wire.hbone;

import org.jspecify.annotations.NullMarked;
