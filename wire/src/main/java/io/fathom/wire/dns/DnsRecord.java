// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dns;

import io.fathom.model.mesh.Ip;

/// One line of an answer. Names are in lower case, without the last dot.
public sealed interface DnsRecord {
    String owner();

    /// `owner` is another name of `target`.
    record Alias(String owner, String target) implements DnsRecord {}

    /// `owner` has this address.
    record Host(String owner, Ip ip) implements DnsRecord {}
}
