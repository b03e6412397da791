// SPDX-License-Identifier: Apache-2.0
/// The certificates of the service accounts that run on this node: [io.fathom.node.identity.CertificateStore].
///
/// Fetched when a workload arrives ([io.fathom.node.identity.LocalCertificates]), renewed at half of their life,
/// given up with their last workload. Fetching happens on virtual threads; asking never blocks.
@NullMarked
package io.fathom.node.identity;

import org.jspecify.annotations.NullMarked;
