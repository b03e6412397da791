// SPDX-License-Identifier: Apache-2.0
/// DNS for pods: names of the mesh are answered here, all else goes to the node's name servers as it came.
/// [io.fathom.node.dns.DnsProxy] serves one pod on an event loop, [io.fathom.node.dns.DnsAnswerer] decides without
/// any I/O. [io.fathom.node.dns.HostResolver] looks up names for the proxy itself. Messages are byte arrays: they are
/// small, and what is forwarded must not change.
@NullMarked
package io.fathom.node.dns;

import org.jspecify.annotations.NullMarked;
