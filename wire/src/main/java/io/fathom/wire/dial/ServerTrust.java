// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;

/// Which roots a server's certificate must lead to.
public sealed interface ServerTrust {
    /// Those of the machine.
    record OfSystem() implements ServerTrust {}

    /// Those in a file, as it is when a connection is made.
    record InFile(Path path) implements ServerTrust {}

    record Inline(String pem) implements ServerTrust {
        @Override
        public String toString() {
            return "Inline[" + pem.length() + " characters]";
        }
    }

    /// `SYSTEM`, a PEM text, or else the path of a file, which may come into being later.
    static ServerTrust parse(String setting) {
        if (setting.equals("SYSTEM")) {
            return new OfSystem();
        }
        return setting.contains("-----BEGIN") ? new Inline(setting) : new InFile(Path.of(setting));
    }

    /// The roots as they are now; none stands for those of the machine.
    ///
    /// @throws ProblemException when the file or the text does not hold any
    default List<X509Certificate> roots() {
        return switch (this) {
            case OfSystem() -> List.of();
            case Inline(var pem) -> Pem.certificates(pem);
            case InFile(var path) -> Pem.certificates(read(path));
        };
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new ProblemException(new Problem(
                    "root-certificate-unreadable",
                    "the root certificate of the control plane cannot be read from " + path + ": " + e,
                    "mount it there (the config map istio-ca-root-cert), or name another file",
                    Problem.Origin.CLIENT,
                    Problem.Retry.SENSIBLE));
        }
    }
}
