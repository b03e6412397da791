// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

/// How the clusters of one machine are made one mesh.
public enum LinkWay {
    /// Each control plane reads the objects of the others, as it would by remote secrets.
    SECRETS,
    /// Gateways stand for the others' in each cluster.
    GATEWAYS,
    /// As by gateways; a management server tells each cluster of the others.
    FLEET,
    /// Not at all: that is left to the user.
    NONE
}
