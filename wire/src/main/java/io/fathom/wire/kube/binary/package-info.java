// SPDX-License-Identifier: Apache-2.0
/// The binary form in which an API server sends its own kinds (`application/vnd.kubernetes.protobuf`): smaller than
/// JSON, and what nobody reads is skipped without a look.
///
/// Entry: [io.fathom.wire.kube.binary.BinaryObjects]. What comes out are the same trees that JSON gives, with the
/// fields that manifests are read from. Knows nothing about calls to API servers.
@NullMarked
package io.fathom.wire.kube.binary;

import org.jspecify.annotations.NullMarked;
