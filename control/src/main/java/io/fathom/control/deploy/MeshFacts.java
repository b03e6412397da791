// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

/// What may change while the control plane runs, and every deployed proxy has to know.
///
/// @param network of this cluster; empty when there is only one
record MeshFacts(String network, String trustDomain) {}
