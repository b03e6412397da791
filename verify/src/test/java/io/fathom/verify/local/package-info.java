// SPDX-License-Identifier: Apache-2.0
/// The mesh of `bin/up`, as a newcomer starts it: real programs, namespaces and traffic.
@NullMarked
package io.fathom.verify.local;

import org.jspecify.annotations.NullMarked;
