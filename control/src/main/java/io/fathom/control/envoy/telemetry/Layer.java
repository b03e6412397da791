// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

/// What is logged: requests or connections.
enum Layer {
    HTTP,
    TCP
}
