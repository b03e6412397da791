// SPDX-License-Identifier: Apache-2.0
/// From the mesh to the configuration of Envoys: tables on the flow of the mesh that say what each proxy group needs,
/// and stores that serve it. Entry: EnvoyMesh. Tables are written by the flow; stores may be read by any thread.
@NullMarked
package io.fathom.control.envoy;

import org.jspecify.annotations.NullMarked;
