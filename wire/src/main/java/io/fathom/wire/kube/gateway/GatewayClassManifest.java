// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;

/// A GatewayClass of the Gateway API.
///
/// @param generation of its spec, 0 when not known; statuses say which one they are about
public record GatewayClassManifest(Metadata metadata, String controllerName, int generation) implements Manifest {}
