// SPDX-License-Identifier: Apache-2.0
/// Secrets for the Envoy in the same pod, over a unix socket: its key and certificate, and what it trusts
/// (`envoy.service.secret.v3.SecretDiscoveryService`, state-of-the-world and delta streams).
///
/// Entry: [io.fathom.wire.sds.SecretServer]. Messages are written by hand: a protobuf runtime would be a tenth of the
/// memory of the program that serves them.
@NullMarked
package io.fathom.wire.sds;

import org.jspecify.annotations.NullMarked;
