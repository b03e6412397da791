// SPDX-License-Identifier: Apache-2.0
/// Authorization policies as the node proxy enforces them: [Authorizer] decides on a [PolicySet].
/// Pure values, safe on any thread; no I/O, no protobuf, no clock.
@NullMarked
package io.fathom.model.policy;

import org.jspecify.annotations.NullMarked;
