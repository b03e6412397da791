// SPDX-License-Identifier: Apache-2.0
/// What translators to Envoy's language know of the mesh: proxies, services and their members, names. Pure records that
/// are made from a cut of the flow; nothing here knows how a resource is written or sent.
@NullMarked
package io.fathom.control.envoy.view;

import org.jspecify.annotations.NullMarked;
