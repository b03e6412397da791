// SPDX-License-Identifier: Apache-2.0
/// Names of Services and pods, answered as a cluster's name server does.
///
/// Entry: [io.fathom.tools.local.dns.DnsServer], on a thread of its own. Knows nothing about manifests.
@NullMarked
package io.fathom.tools.local.dns;

import org.jspecify.annotations.NullMarked;
