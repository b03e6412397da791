// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.settings;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.function.Function;

/// Settings that come as a YAML document.
public final class YamlSetting {
    private YamlSetting() {}

    /// What the last document says.
    ///
    /// @param origin where the text is from, for complaints
    /// @param none what holds when there is no document
    /// @throws ProblemException when it cannot be read
    public static <T> T read(String origin, String yaml, T none, Function<Tree, T> reading) {
        try {
            var result = none;
            for (var document : Documents.ofYaml(origin, yaml, Limits.DEFAULT)) {
                result = switch (document) {
                    case Document.Parsed parsed -> reading.apply(parsed.root());
                    case Document.Broken broken -> throw broken.cause();
                };
            }
            return result;
        } catch (MisreadException e) {
            throw new ProblemException(Problem.ofInput(
                    e.problem().code(),
                    "%s: %s%s"
                            .formatted(
                                    e.at(),
                                    e.field().isEmpty() ? "" : e.field() + ": ",
                                    e.problem().message()),
                    e.problem().fix()));
        }
    }
}
