// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.fathom.control.envoy.view.MeshService;

/// A port of a service that logs or spans are sent to.
public record ProviderUse(MeshService service, int port) {}
