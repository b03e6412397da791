// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

/// How Secrets and ConfigMaps with certificates come in.
public enum SecretsSource {
    /// With everything else: what is not there does not exist.
    COMPLETE,
    /// One by one, as somebody names them: what is not there may not have been read yet.
    BY_NAME
}
