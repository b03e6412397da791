// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

/// What makes two descriptors the same file: two of one network namespace are equal in this.
public record FileIdentity(long device, long inode) {}
