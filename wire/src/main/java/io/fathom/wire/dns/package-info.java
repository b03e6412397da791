// SPDX-License-Identifier: Apache-2.0
/// DNS messages: [io.fathom.wire.dns.DnsQuery] reads what clients ask, [io.fathom.wire.dns.DnsReply] writes answers,
/// [io.fathom.wire.dns.AddressReply] asks and reads addresses. Messages are byte arrays: they are small, and what is
/// forwarded must not change. Pure; what strangers send costs no exceptions.
@NullMarked
package io.fathom.wire.dns;

import org.jspecify.annotations.NullMarked;
