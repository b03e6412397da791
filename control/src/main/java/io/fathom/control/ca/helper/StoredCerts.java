// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.helper;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.CaFiles;
import io.fathom.control.ca.RootStore;
import io.fathom.control.ca.helper.HelperConfig.Foreign;
import io.fathom.control.ca.vault.Inherited;
import io.fathom.control.ca.vault.Inherited.Successor;
import io.fathom.control.ca.vault.IntermediateProfile;
import io.fathom.wire.pki.MaterialCheck;
import io.fathom.wire.pki.SigningMaterial;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;

/// What is stored already, and what becomes of it. Pure.
sealed interface StoredCerts {
    /// Nothing, or nothing that anybody could sign with: a first intermediate takes its place.
    record None() implements StoredCerts {}

    /// It goes on until its successor is there.
    record Usable(Inherited inherited, CaFiles files) implements StoredCerts {}

    /// It stays, and nothing is done.
    record Refused(Problem problem) implements StoredCerts {}

    /// Looks at what was found.
    ///
    /// @param place where it is stored, for messages
    static StoredCerts judge(
            Optional<RootStore.Content> content,
            IntermediateProfile profile,
            Foreign foreign,
            String place,
            Instant now) {
        if (content.isEmpty()) {
            return new None();
        }
        CaFiles files;
        SigningMaterial material;
        try {
            files = CaFiles.of(content.get());
            material = files.material();
        } catch (ProblemException e) {
            return foreign == Foreign.REPLACED
                    ? new None()
                    : refused(
                            "cacerts-damaged",
                            "the " + place + " holds certificates that cannot be used: "
                                    + e.problem().message());
        }
        var ours = isOurs(material, profile);
        if (!ours && foreign == Foreign.REFUSED) {
            return refused(
                    "cacerts-foreign",
                    "the " + place + " holds certificates of somebody else: "
                            + material.signer().getSubjectX500Principal());
        }
        if (MaterialCheck.problem(material, now).isPresent()) {
            return new None();
        }
        return new Usable(Inherited.of(material, ours ? Successor.IN_TIME : Successor.AT_ONCE), files);
    }

    /// Whether it has the name that we ask Vault for.
    private static boolean isOurs(SigningMaterial material, IntermediateProfile profile) {
        return names(material).containsAll(Set.of("CN=" + profile.commonName(), "O=" + profile.organization()));
    }

    private static Set<String> names(SigningMaterial material) {
        var names = new HashSet<String>();
        try {
            new LdapName(material.signer().getSubjectX500Principal().getName())
                    .getRdns()
                    .forEach(part -> names.add(part.getType() + "=" + part.getValue()));
        } catch (InvalidNameException e) {
            // a name that cannot be read is not ours
        }
        return names;
    }

    private static Refused refused(String code, String message) {
        return new Refused(new Problem(
                code,
                message + "; they stay",
                "keep a copy of them, then start the helper with --take-over true; or let it store its own elsewhere",
                Origin.SERVER,
                Retry.SENSIBLE));
    }
}
