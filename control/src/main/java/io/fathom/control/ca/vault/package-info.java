// SPDX-License-Identifier: Apache-2.0
/// HashiCorp Vault as the authority above the mesh: `VaultAuthority` holds a key that never leaves the process, has
/// Vault's PKI engine certify it as an intermediate, and renews it in time. Everything that talks to Vault runs on
/// tasks of a [io.fathom.base.lang.Timeline], one at a time; nothing secret is written to disk. Must not know who may
/// have which certificate.
@NullMarked
package io.fathom.control.ca.vault;

import org.jspecify.annotations.NullMarked;
