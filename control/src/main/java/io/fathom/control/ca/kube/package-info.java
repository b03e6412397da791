// SPDX-License-Identifier: Apache-2.0
/// What the certificate authority keeps in a cluster: its root in a Secret that replicas share ([SecretRootStore]), and
/// what clients must trust in a ConfigMap of each namespace ([NamespaceConfigMap]).
/// Knows nothing about files or streams.
@NullMarked
package io.fathom.control.ca.kube;

import org.jspecify.annotations.NullMarked;
