// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import java.util.List;

/// Who asks.
///
/// @param network addresses on others are of no use to it
/// @param searchDomains what its resolver appends to short names, in order
record DnsClient(String namespace, String network, List<String> searchDomains) {
    DnsClient {
        searchDomains = List.copyOf(searchDomains);
    }
}
