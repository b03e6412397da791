// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.wire.pki.SigningMaterial;
import java.security.cert.X509Certificate;
import java.util.List;

/// Who signs for the mesh: a root of our own, plugged files, or an intermediate of another authority.
///
/// [#material()], [#roots()] and [#health()] answer at once from an immutable snapshot, on any thread: renewing,
/// watching and talking to others happens on threads of the authority's own, and a failure there leaves what is
/// being served as it was and shows in [#health()].
public interface Authority extends AutoCloseable {
    /// What to sign with now.
    ///
    /// @throws io.fathom.base.lang.ProblemException if there is nothing to sign with yet
    SigningMaterial material();

    /// What clients must trust now, without duplicates: the roots of [#material()], a root that is announced before it
    /// is used, and one that is no longer used but still has live certificates. Empty only as long as there is no
    /// material.
    List<X509Certificate> roots();

    /// Lists of certificates that were taken back before their end, as PEM; empty when there are none.
    default String revocations() {
        return "";
    }

    /// Calls `onChange` after every change of material, of roots or of the state of health, on a thread of the
    /// authority's, never two at once. It carries no value: ask for what you need. Not called for what is there
    /// already.
    AutoCloseable subscribe(Runnable onChange);

    AuthorityHealth health();

    /// Stops renewing and watching; the last material stays readable.
    @Override
    void close();
}
