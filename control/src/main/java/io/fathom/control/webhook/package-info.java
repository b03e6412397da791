// SPDX-License-Identifier: Apache-2.0
/// Says whether an object may be stored, and what its author should know: the rules behind the validation webhook
/// ([Validation]), the protocol of the API server ([AdmissionReview]), and the configuration that makes the API server
/// ask us ([WebhookConfigurations]). Knows nothing about ports and TLS.
@NullMarked
package io.fathom.control.webhook;

import org.jspecify.annotations.NullMarked;
