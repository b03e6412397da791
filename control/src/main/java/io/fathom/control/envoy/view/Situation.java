// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import java.util.Optional;

/// What a part of a configuration is for: proxies, and the service behind them if it is for one.
///
/// @param rootNamespace objects there are for the whole mesh
/// @param service empty for what does not belong to one service, such as an ingress listener
public record Situation(String rootNamespace, ProxyGroup group, Optional<MeshService> service) {}
