// SPDX-License-Identifier: Apache-2.0
/// What makes several control planes safe on one cluster: one root, one writer, the same answers, and the webhook.
/// With real API servers.
@NullMarked
package io.fathom.verify.replicas;

import org.jspecify.annotations.NullMarked;
