// SPDX-License-Identifier: Apache-2.0
/// The certificate authority of the mesh: who asks (`CallerAuthenticator`), what they may have (`NodeAuthorizer`), who
/// signs (`Authority`), and the gRPC service in front (`CertificateEndpoint`). Must not know manifests or xDS
/// resources.
@NullMarked
package io.fathom.control.ca;

import org.jspecify.annotations.NullMarked;
