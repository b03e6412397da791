// SPDX-License-Identifier: Apache-2.0
/// A small HTTP/1.1 client for the API server and for unix sockets, which the JDK's own does not do; it also starts
/// in a fraction of the time, which counts in a program that makes one call and ends.
///
/// Entry: [io.fathom.wire.http.HttpLink] for a connection, [io.fathom.wire.http.UnixHttp] for one call over a unix
/// socket, [io.fathom.wire.http.RequestHead] for whoever serves. Blocking, one thread per connection. Knows nothing
/// about what is asked for.
@NullMarked
package io.fathom.wire.http;

import org.jspecify.annotations.NullMarked;
