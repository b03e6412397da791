// SPDX-License-Identifier: Apache-2.0
/// The HTTP ports of the programs: pages by path, over HTTP/1.1.
///
/// Entry: [io.fathom.app.http.HttpEndpoint]. Every request runs on a virtual thread of its own.
@NullMarked
package io.fathom.app.http;

import org.jspecify.annotations.NullMarked;
