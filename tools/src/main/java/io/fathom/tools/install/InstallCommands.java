// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import static io.fathom.tools.install.InstallFlags.*;

import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Command;
import io.fathom.tools.args.Flag;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.tree.Field;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// `install`, `upgrade`, `uninstall`, `verify` and `manifest generate`, with istioctl's flags.
///
/// @param version of this tool
/// @param answers what the user types when asked
public record InstallCommands(Map<String, String> environment, String version, InputStream answers) {
    private static final List<Flag> SETTINGS = List.of(SET, FILE, CHARTS, REVISION);
    private static final String KUBE = "1.34.0";

    public InstallCommands {
        environment = Map.copyOf(environment);
    }

    public List<Command> commands() {
        return List.of(
                new Command(
                        "install",
                        List.of(),
                        "",
                        """
                        Install a mesh into a cluster, or change the one that is there.

                        With --revision it is a second control plane beside the first; node agents and node proxies that
                        are there stay with theirs until fathomctl upgrade --revision moves them.""",
                        flags(CRDS, YES, FORCE, VERIFY, DRY_RUN, TIMEOUT),
                        this::install),
                new Command(
                        "upgrade",
                        List.of(),
                        "",
                        "Bring every part of an installed mesh to this version, or to another revision.",
                        flags(CRDS, YES, FORCE, VERIFY, DRY_RUN, TIMEOUT),
                        this::upgrade),
                new Command(
                        "uninstall",
                        List.of(),
                        "",
                        "Take a revision (-r), what a file describes (-f), or everything (--purge) out of a cluster.",
                        Stream.concat(Stream.of(FILE, SET, REVISION, PURGE, YES, DRY_RUN), CLUSTER.stream())
                                .toList(),
                        this::uninstall),
                new Command(
                        "verify",
                        List.of("verify-install"),
                        "",
                        "Look whether every part of an installed mesh is there and well.",
                        Stream.concat(Stream.of(REVISION), CLUSTER.stream()).toList(),
                        this::verify),
                new Command(
                        "manifest",
                        List.of(),
                        "generate",
                        "Print the objects that install would make, without asking a cluster.",
                        flags(KUBE_VERSION),
                        this::manifest));
    }

    private static List<Flag> flags(Flag... more) {
        var all = new ArrayList<>(SETTINGS);
        all.addAll(List.of(more));
        all.addAll(CLUSTER);
        return all;
    }

    private int install(Arguments arguments, PrintWriter out) {
        noOperands(arguments);
        var plan = plan(arguments);
        var existing =
                Chart.isDefault(plan.revision()) ? Installation.Existing.CHANGE : Installation.Existing.KEEP_SHARED;
        return run(arguments, plan, existing, "install", out);
    }

    private int upgrade(Arguments arguments, PrintWriter out) {
        noOperands(arguments);
        var plan = plan(arguments);
        var helm = new InstallTarget(arguments, environment).helm(plan.namespace());
        if (Installation.controlPlanes(helm).isEmpty()) {
            throw Installation.problem(
                    "not-installed",
                    "no mesh is installed in " + plan.namespace(),
                    "install one: fathomctl install, or name its namespace with -i");
        }
        return run(arguments, plan, Installation.Existing.CHANGE, "upgrade", out);
    }

    private int run(Arguments arguments, MeshPlan plan, Installation.Existing existing, String verb, PrintWriter out) {
        var place = new InstallTarget(arguments, environment);
        var report = new Report(out);
        plan.remarks().forEach(remark -> report.say("! " + remark));
        if (arguments.has(DRY_RUN)) {
            for (var object : Helm.documents(render(arguments, plan))) {
                report.say("would apply " + name(Field.root(object)));
            }
            return 0;
        }
        var patience = timeout(arguments);
        var revision = Chart.isDefault(plan.revision()) ? "" : ", revision " + plan.revision();
        confirm(arguments, "This will %s Fathom %s in %s%s.".formatted(verb, version, plan.namespace(), revision), out);
        var helm = place.helm(plan.namespace());
        try (var client = place.client()) {
            var installation = new Installation(place, plan, client, helm, report);
            try {
                installation.definitions(arguments.value(CRDS).map(Path::of));
            } catch (ProblemException e) {
                if (!arguments.has(FORCE)) {
                    throw e;
                }
                report.failed(e.problem().message(), e.problem().fix());
            }
            installation.run(existing, patience);
            report.done("Installation complete");
            if (arguments.has(VERIFY)) {
                return verify(client, helm, plan.namespace(), Optional.empty(), out);
            }
            return 0;
        }
    }

    private int uninstall(Arguments arguments, PrintWriter out) {
        noOperands(arguments);
        var ways = Stream.of(REVISION, FILE, PURGE).filter(arguments::has).count();
        if (ways != 1) {
            throw bad(
                    ways == 0 ? "uninstall what?" : "-r, -f and --purge exclude each other",
                    "give a revision (-r NAME), a file (-f FILE) or --purge");
        }
        var plan = plan(arguments);
        var what = arguments.has(PURGE)
                ? "everything of Fathom"
                : arguments.has(REVISION)
                        ? "revision " + arguments.value(REVISION).orElse("")
                        : "what the file describes";
        if (arguments.has(DRY_RUN)) {
            out.println("would remove " + what + " from " + plan.namespace());
            return 0;
        }
        confirm(arguments, "This will remove %s from %s.".formatted(what, plan.namespace()), out);
        var place = new InstallTarget(arguments, environment);
        var helm = place.helm(plan.namespace());
        try (var client = place.client()) {
            var removal = new Removal(client, helm, plan.namespace(), new Report(out));
            if (arguments.has(PURGE)) {
                removal.purge();
            } else if (arguments.has(REVISION)) {
                removal.revision(arguments.value(REVISION).orElse(""));
            } else {
                removal.plan(plan);
            }
        }
        return 0;
    }

    private int verify(Arguments arguments, PrintWriter out) {
        noOperands(arguments);
        var place = new InstallTarget(arguments, environment);
        try (var client = place.client()) {
            var namespace = namespace(arguments);
            return verify(client, place.helm(namespace), namespace, arguments.value(REVISION), out);
        }
    }

    private static int verify(
            KubeClient client, Helm helm, String namespace, Optional<String> revision, PrintWriter out) {
        var report = new Report(out);
        new Verification(client, helm, namespace, report).run(revision);
        if (report.failures() > 0) {
            report.say("%d %s"
                    .formatted(report.failures(), report.failures() == 1 ? "thing is wrong" : "things are wrong"));
            return 1;
        }
        report.done("All is well");
        return 0;
    }

    private int manifest(Arguments arguments, PrintWriter out) {
        if (!arguments.operands().equals(List.of("generate"))) {
            throw bad("manifest knows generate only", "write fathomctl manifest generate");
        }
        out.print(render(arguments, plan(arguments)));
        return 0;
    }

    private String render(Arguments arguments, MeshPlan plan) {
        var place = new InstallTarget(arguments, environment);
        var helm = place.renderer(plan.namespace());
        var version = arguments.value(KUBE_VERSION).orElse(KUBE);
        var text = new StringBuilder();
        for (var chart : Chart.PARTS) {
            var values = plan.values().get(chart);
            if (values != null) {
                text.append(helm.template(place.chart(chart), chart.release(plan.revision()), values, version));
            }
        }
        for (var gateway : plan.gateways()) {
            text.append(helm.in(gateway.namespace())
                    .template(place.chart(Chart.GATEWAY), gateway.name(), gateway.values(), version));
        }
        return text.toString();
    }

    private void confirm(Arguments arguments, String what, PrintWriter out) {
        if (arguments.has(YES)) {
            return;
        }
        out.print(what + " Go on? (y/N) ");
        out.flush();
        try {
            var answer = new BufferedReader(new InputStreamReader(answers, StandardCharsets.UTF_8)).readLine();
            if (answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes")) {
                return;
            }
        } catch (IOException _) {
            // like no answer
        }
        throw Installation.problem("not-confirmed", "nothing was done", "answer y, or add -y");
    }

    private static String name(Field object) {
        var namespace = object.at("metadata").at("namespace").text();
        return "%s %s%s"
                .formatted(
                        object.at("kind").text(),
                        namespace.isEmpty() ? "" : namespace + "/",
                        object.at("metadata").at("name").text());
    }

    private static void noOperands(Arguments arguments) {
        if (!arguments.operands().isEmpty()) {
            throw bad("what is " + arguments.operands().getFirst() + "?", "give flags only; see --help");
        }
    }
}
