// SPDX-License-Identifier: Apache-2.0
/// The command `curl` of our images, which have no other program that could ask: `kubectl exec ds/ztunnel -- curl
/// localhost:15000/config_dump` works as documents write it. Entry: [CurlMain]. Knows nothing of meshes.
@NullMarked
package io.fathom.app.curl;

import org.jspecify.annotations.NullMarked;
