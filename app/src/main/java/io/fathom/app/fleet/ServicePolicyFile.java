// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.settings.YamlSetting;
import io.fathom.base.lang.Likeness;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.join.ClusterIdentity;
import io.fathom.fleet.server.ServicePolicy;
import io.fathom.fleet.server.ServicePolicy.ClusterRule;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The file that says what services may be exported to whom. A mistake in it ends nothing: what it said before holds
/// until it is good again. Any thread.
final class ServicePolicyFile {
    private static final Logger log = LoggerFactory.getLogger(ServicePolicyFile.class);
    private static final List<String> FIELDS = List.of("clusters", "exports", "imports");
    private static final Set<String> ALL = Set.of("*");
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    private final Path file;
    private final Consumer<ServicePolicy> user;
    private String text;
    private volatile Optional<Problem> problem = Optional.empty();

    /// @param text what has been read of it
    /// @param user gets what the file says from now on
    private ServicePolicyFile(Path file, String text, Consumer<ServicePolicy> user) {
        this.file = file;
        this.text = text;
        this.user = user;
    }

    /// What a file says, and its text.
    record Loaded(Path file, String text, ServicePolicy policy) {
        /// Goes on from here.
        ServicePolicyFile follow(Consumer<ServicePolicy> user) {
            return new ServicePolicyFile(file, text, user);
        }
    }

    /// Throws a [ProblemException] when it cannot be read.
    static Loaded load(Path file) {
        var text = text(file);
        return new Loaded(file, text, parse(file.toString(), text));
    }

    Path file() {
        return file;
    }

    /// What is wrong with it now.
    Optional<Problem> problem() {
        return problem;
    }

    /// Sees whether it says something else.
    synchronized void look() {
        try {
            var now = text(file);
            if (now.equals(text) && problem.isEmpty()) {
                return;
            }
            var policy = parse(file.toString(), now);
            var changed = !now.equals(text);
            text = now;
            problem = Optional.empty();
            if (changed) {
                user.accept(policy);
            }
            log.atInfo()
                    .addKeyValue("file", file)
                    .addKeyValue("rules", policy.rules().size())
                    .log("the service policy is read again");
        } catch (ProblemException e) {
            if (!problem.equals(Optional.of(e.problem()))) {
                problem = Optional.of(e.problem());
                log.atError()
                        .addKeyValue("problem", e.problem().code())
                        .addKeyValue("reason", e.problem())
                        .log("the service policy stays as it was");
            }
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new ProblemException(Problem.ofInput(
                    "service-policy-unreadable",
                    file + ": cannot be read: " + e,
                    "write a list of rules as UTF-8 text, or leave --service-policy out"));
        }
    }

    /// What a list of rules says.
    ///
    /// @param origin named in complaints
    static ServicePolicy parse(String origin, String yaml) {
        var found = new ArrayList<List<ClusterRule>>();
        var documents = YamlSetting.read(origin, yaml, 0, root -> {
            if (!found.isEmpty()) {
                throw Field.root(root)
                        .wrong("service-policy-malformed", "is a second document", "write all rules in one list");
            }
            found.add(rules(root));
            return found.size();
        });
        if (documents == 0) {
            throw new ProblemException(Problem.ofInput(
                    "service-policy-malformed",
                    origin + ":1: there is no list of rules",
                    "write a rule, or [] for none: then everything may be exported to everybody"));
        }
        return new ServicePolicy(ServicePolicy.OPEN.mostServices(), found.getFirst());
    }

    private static List<ClusterRule> rules(Tree root) {
        return Field.root(root).items().stream().map(ServicePolicyFile::rule).toList();
    }

    private static ClusterRule rule(Field rule) {
        if (!rule.isPresent()) {
            throw rule.wrongType("a map", "write clusters, exports and imports below it");
        }
        rule.entries().keySet().stream()
                .filter(name -> !FIELDS.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw rule.at(name)
                            .misnamed(
                                    "service-policy-malformed",
                                    "is no field of a rule",
                                    Likeness.closest(name, FIELDS.stream())
                                            .map(likely -> "did you mean " + likely + "?")
                                            .orElse("write clusters, exports or imports"));
                });
        var clusters = names(rule, "clusters", ClusterIdentity::isName, "the name of a cluster")
                .filter(names -> !names.isEmpty())
                .orElseThrow(() -> rule.at("clusters").missing("name clusters that the rule is for, or \"*\" for all"));
        return new ClusterRule(clusters, namespaces(rule, "exports"), namespaces(rule, "imports"));
    }

    /// Without the field that is all of them; with an empty list none.
    private static Set<String> namespaces(Field rule, String name) {
        return names(rule, name, text -> NAMESPACE.matcher(text).matches(), "the name of a namespace")
                .orElse(ALL);
    }

    private static Optional<Set<String>> names(Field rule, String name, Predicate<String> isName, String what) {
        if (!rule.entries().containsKey(name)) {
            return Optional.empty();
        }
        var field = rule.at(name);
        if (!field.isList()) {
            throw field.wrongType("a list", "write [NAME, NAME], or [\"*\"] for all");
        }
        var names = new LinkedHashSet<String>();
        for (var item : field.items()) {
            var text = item.requiredText();
            if (!text.equals("*") && !isName.test(text)) {
                throw item.wrong(
                        "service-policy-malformed",
                        "is \"" + text + "\", must be " + what + " or \"*\"",
                        "write each name as an item of the list");
            }
            names.add(text);
        }
        return Optional.of(names);
    }
}
