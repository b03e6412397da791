// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.wire.kube.tree.Tree;

/// A gateway of a mesh: a release of the gateway chart, named as its Deployment and Service.
///
/// @param values of the chart, without those that all charts share
record GatewayRelease(String name, String namespace, Tree values) {}
