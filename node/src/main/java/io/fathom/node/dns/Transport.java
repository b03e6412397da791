// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

/// How a message travels.
public enum Transport {
    UDP,
    TCP
}
