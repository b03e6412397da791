// SPDX-License-Identifier: Apache-2.0
/// What a mesh is made of: workloads, services and their addresses. Pure values; no I/O, no protobuf, no clock.
@NullMarked
package io.fathom.model.mesh;

import org.jspecify.annotations.NullMarked;
