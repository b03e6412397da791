// SPDX-License-Identifier: Apache-2.0
/// What the tests of every layer share: a time that is moved by hand, network namespaces, programs of this machine, a
/// socket for posts.
@NullMarked
package io.fathom.base.testkit;

import org.jspecify.annotations.NullMarked;
