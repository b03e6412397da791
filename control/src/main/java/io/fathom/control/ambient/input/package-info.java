// SPDX-License-Identifier: Apache-2.0
/// What the mesh is derived from: tables of manifests, settings, and the labels that objects carry for us.
///
/// Entry: [io.fathom.control.ambient.input.Inputs]. Written on the flow's writer. Knows nothing about what is derived.
@NullMarked
package io.fathom.control.ambient.input;

import org.jspecify.annotations.NullMarked;
