// SPDX-License-Identifier: Apache-2.0
/// A mesh on one machine for tests and benchmarks: nodes and pods are network namespaces on one bridge, the control
/// plane is ours, the node proxies are ours or stock ones.
///
/// Entry: [io.fathom.verify.lab.MeshLab]. Needs root; closing it removes everything.
@NullMarked
package io.fathom.verify.lab;

import org.jspecify.annotations.NullMarked;
