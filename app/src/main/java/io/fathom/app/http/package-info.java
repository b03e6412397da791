// SPDX-License-Identifier: Apache-2.0
/// The HTTP ports of the programs: pages by path, over HTTP/1.1.
///
/// Entry: [io.fathom.app.http.HttpEndpoint]. Each connection that has sent a request gets a virtual thread;
/// probes are answered by the thread that accepts.
@NullMarked
package io.fathom.app.http;

import org.jspecify.annotations.NullMarked;
