// SPDX-License-Identifier: Apache-2.0
/// The HTTPS port that the API server asks before it stores objects. Entry class: [WebhookEndpoint].
/// What is answered is decided in `control/webhook`.
@NullMarked
package io.fathom.app.fathomd.webhook;

import org.jspecify.annotations.NullMarked;
