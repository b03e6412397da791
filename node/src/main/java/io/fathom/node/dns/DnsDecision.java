// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.wire.dns.DnsRecord;
import java.util.List;

/// What to do with a question.
sealed interface DnsDecision {
    DnsDecision FORWARD = new Forward();

    /// The mesh knows the name; it may well have no such records.
    record Answer(List<DnsRecord> records) implements DnsDecision {
        public Answer {
            records = List.copyOf(records);
        }
    }

    /// Somebody else may know.
    record Forward() implements DnsDecision {}
}
