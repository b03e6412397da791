// SPDX-License-Identifier: Apache-2.0
/// Gateways at the edge: listeners, their certificates and the frames of their route tables, made from Gateways of the
/// Gateway API and of Istio. Entry class: [io.fathom.control.envoy.ingress.IngressListeners]. Pure but for
/// [io.fathom.control.envoy.ingress.IngressTables], which says what is made again when.
@NullMarked
package io.fathom.control.envoy.ingress;

import org.jspecify.annotations.NullMarked;
