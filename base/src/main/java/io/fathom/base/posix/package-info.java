// SPDX-License-Identifier: Apache-2.0
/// The only native code: what Java lacks of Linux for proxies that reach into other network namespaces. Entry classes:
/// [io.fathom.base.posix.NetworkNamespace] with [io.fathom.base.posix.NamespaceThread], and
/// [io.fathom.base.posix.SeqPacketSocket]. The numbers are those of x86_64 and aarch64. Knows nothing about meshes.
@NullMarked
package io.fathom.base.posix;

import org.jspecify.annotations.NullMarked;
