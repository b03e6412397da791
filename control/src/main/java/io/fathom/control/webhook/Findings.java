// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import io.fathom.control.envoy.view.Remark;
import io.fathom.control.webhook.Verdict.Mistake;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// Collects what checks find in one object. For one thread.
final class Findings {
    private final List<Mistake> mistakes = new ArrayList<>();
    private final Set<String> warnings = new LinkedHashSet<>();

    void refuse(Field field, String what, String fix) {
        refuse(new Mistake(field.path(), what, fix));
    }

    void refuse(Mistake mistake) {
        if (mistakes.stream().noneMatch(known -> known.field().equals(mistake.field()))) {
            mistakes.add(mistake); // of two words on one field the first, which is about its form, is enough
        }
    }

    void warn(String warning) {
        warnings.add(warning);
    }

    /// What the reader says.
    void add(ManifestProblem found) {
        var problem = found.problem();
        switch (found.severity()) {
            case ERROR -> refuse(new Mistake(found.field(), problem.message(), problem.fix()));
            case WARNING -> warn(found.field() + ": " + problem.message() + "; " + problem.fix());
        }
    }

    /// What translators say.
    void add(Remark remark) {
        var problem = remark.problem();
        switch (remark.weight()) {
            case MISTAKE -> refuse(new Mistake(remark.field(), problem.message(), problem.fix()));
            case WARNING -> warn(remark.field() + ": " + problem.message() + "; " + problem.fix());
        }
    }

    /// Runs a check on a part of the object. If the part has not even the right form, that is what is found.
    void on(Field field, Consumer<Field> check) {
        try {
            check.accept(field);
        } catch (MisreadException e) {
            refuse(new Mistake(e.field(), e.problem().message(), e.problem().fix()));
        }
    }

    /// Runs a check on each item of a list.
    void onEach(Field list, Consumer<Field> check) {
        on(list, items -> items.items().forEach(item -> on(item, check)));
    }

    Verdict verdict(String object) {
        return new Verdict(object, mistakes, List.copyOf(warnings));
    }
}
