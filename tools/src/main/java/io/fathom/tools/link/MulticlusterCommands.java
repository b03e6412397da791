// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.lang.Likeness;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Command;
import io.fathom.tools.args.Flag;
import io.fathom.tools.install.Waiting;
import io.fathom.tools.link.LinkPlanner.Strays;
import io.fathom.tools.link.TrustPlanner.TrustExchange;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/// `multicluster expose`, `link`, `check`, `trust` and `unlink`.
public final class MulticlusterCommands {
    private static final Duration FOR_ADDRESS = Duration.ofSeconds(60);
    private static final Duration FOR_ANSWER = Duration.ofSeconds(3);
    private static final int FAILED = 1;

    private static final Flag CONTEXTS = Flag.of("--contexts", "NAME,…", """
            The clusters: contexts of the kubeconfig, or clusters of bin/up. With bin/up, all of them unless it is \
            given.""");
    private static final Flag KUBECONFIG = Flag.of("--kubeconfig", "FILE", """
            How to reach the clusters. [KUBECONFIG, default ~/.kube/config]""").orShort("-c");
    private static final Flag SYSTEM = Flag.of("--istioNamespace", "NAME", """
            The namespace of their control planes. [default istio-system]""").orShort("-i");
    private static final Flag NAMESPACE = Flag.of("--namespace", "NAME", """
            expose: the namespace of the gateway. [default istio-eastwest]""").orShort("-n");
    private static final Flag PRUNE = Flag.toggle("--prune", """
            link: also remove our Gateways for clusters that are not named.""");
    private static final Flag EXCHANGE = Flag.toggle("--exchange-trust", """
            link: let clusters with different roots trust each other, each for its own trust domain. Without it \
            roots are only pinned that are known.""");
    private static final Flag DRY_RUN = Flag.toggle("--dry-run", "link, unlink: only say what would be done.");
    private static final Flag CLUSTER = Flag.of("--cluster", "ID", """
            unlink: take this cluster out, which need not answer any more. May be repeated. [default those of \
            --contexts]""");
    private static final Flag PRECHECK =
            Flag.toggle("--precheck", "check: whether the clusters can be linked, before they are.");
    private static final Flag OUTPUT =
            Flag.of("--output", "FORMAT", "table (default) or json").orShort("-o");

    private final Map<String, String> environment;
    private final InstantSource clock;

    private enum LinkAct {
        EXPOSE,
        LINK,
        CHECK,
        TRUST,
        UNLINK;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public MulticlusterCommands(Map<String, String> environment) {
        this.environment = environment;
        this.clock = InstantSource.system();
    }

    public Command command() {
        return new Command(
                "multicluster",
                List.of(),
                "expose|link|check|trust|unlink",
                """
                        Link clusters to one mesh by Gateways, and tell whether the links work.

                          expose   give each cluster an east-west gateway, by which the others get in
                          link     write a Gateway of class istio-remote in each cluster for each of the others. Run
                                   again after a change, it writes what differs, removes what is gone, and touches
                                   nothing of others
                          check    look at each link from both ends, and shake hands with each gateway. Exit code 1
                                   if something is wrong
                          trust    list whose roots each cluster trusts, with their fingerprints
                          unlink   remove what link wrote, roots included

                        fathomctl multicluster link --contexts east,west,north""",
                List.of(CONTEXTS, KUBECONFIG, SYSTEM, NAMESPACE, PRUNE, EXCHANGE, DRY_RUN, CLUSTER, PRECHECK, OUTPUT),
                this::run);
    }

    private int run(Arguments arguments, PrintWriter out) {
        var act = act(arguments.operands());
        refuse(arguments, act, NAMESPACE, LinkAct.EXPOSE);
        refuse(arguments, act, PRUNE, LinkAct.LINK);
        refuse(arguments, act, EXCHANGE, LinkAct.LINK);
        refuse(arguments, act, DRY_RUN, LinkAct.LINK, LinkAct.UNLINK);
        refuse(arguments, act, CLUSTER, LinkAct.UNLINK);
        refuse(arguments, act, PRECHECK, LinkAct.CHECK);
        var print = new LinkPrinter(out, format(arguments.value(OUTPUT).orElse("table")));
        var contexts = arguments.all(CONTEXTS).stream()
                .flatMap(list -> Stream.of(list.split(",", -1)))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList();
        var system = arguments.value(SYSTEM).orElse("istio-system");
        try (var clusters =
                LinkClusters.open(contexts, arguments.value(KUBECONFIG).map(Path::of), system, environment)) {
            var reader = new FactsReader(system);
            return switch (act) {
                case EXPOSE ->
                    expose(
                            clusters.all(),
                            new Exposure(arguments.value(NAMESPACE).orElse(Exposure.NAMESPACE), reader),
                            print);
                case LINK -> link(clusters.all(), reader, arguments, print);
                case CHECK -> check(clusters.all(), reader, arguments, print);
                case TRUST -> {
                    print.trust(facts(clusters.all(), reader));
                    yield 0;
                }
                case UNLINK -> unlink(clusters.all(), reader, arguments, print);
            };
        }
    }

    private static LinkAct act(List<String> operands) {
        var words = Arrays.stream(LinkAct.values()).map(LinkAct::word).toList();
        if (operands.size() == 1) {
            for (var act : LinkAct.values()) {
                if (act.word().equals(operands.getFirst())) {
                    return act;
                }
            }
            throw LinkClusters.usage(
                    "multicluster has no command " + operands.getFirst(),
                    Likeness.closest(operands.getFirst(), words.stream())
                            .map(likely -> "did you mean " + likely + "?")
                            .orElse("give one of " + String.join(", ", words)));
        }
        throw LinkClusters.usage(
                operands.isEmpty() ? "multicluster what?" : "multicluster takes one command: " + operands,
                "give one of " + String.join(", ", words)
                        + (operands.size() > 1 ? "; clusters are named by --contexts" : ""));
    }

    /// A flag that does nothing would be a misunderstanding.
    private static void refuse(Arguments arguments, LinkAct act, Flag flag, LinkAct... takers) {
        if (arguments.has(flag) && !List.of(takers).contains(act)) {
            throw LinkClusters.usage(
                    "multicluster " + act.word() + " has no flag " + flag.name(),
                    "it is for multicluster "
                            + String.join(
                                    " and ",
                                    Arrays.stream(takers).map(LinkAct::word).toList()));
        }
    }

    private static LinkPrinter.LinkFormat format(String word) {
        return switch (word) {
            case "table" -> LinkPrinter.LinkFormat.TABLE;
            case "json" -> LinkPrinter.LinkFormat.JSON;
            default -> throw LinkClusters.usage("--output: there is no format '" + word + "'", "give table or json");
        };
    }

    private static List<ClusterFacts> facts(List<ClusterAccess> clusters, FactsReader reader) {
        return clusters.stream().map(reader::read).toList();
    }

    private static int expose(List<ClusterAccess> clusters, Exposure exposure, LinkPrinter print) {
        var made = new HashSet<String>();
        for (var cluster : clusters) {
            if (exposure.expose(cluster)) {
                made.add(cluster.context());
            }
        }
        var _ = new Waiting()
                .until(
                        FOR_ADDRESS,
                        () -> facts(clusters, exposure.reader()).stream()
                                .flatMap(facts -> facts.gateways().stream())
                                .noneMatch(gateway -> gateway.addresses().isEmpty()));
        var facts = facts(clusters, exposure.reader());
        print.gateways(facts, made);
        return facts.stream()
                        .flatMap(cluster -> cluster.gateways().stream())
                        .anyMatch(gateway -> gateway.addresses().isEmpty())
                ? FAILED
                : 0;
    }

    private static int link(List<ClusterAccess> clusters, FactsReader reader, Arguments arguments, LinkPrinter print) {
        if (clusters.size() < 2) {
            throw LinkClusters.usage("one cluster cannot be linked", "name at least two: --contexts a,b");
        }
        var facts = facts(clusters, reader);
        var trust = new TrustPlanner(
                reader.namespace(), arguments.has(EXCHANGE) ? TrustExchange.AGREED : TrustExchange.REFUSED);
        var findings = ClusterReview.of(facts, trust);
        if (findings.stream().anyMatch(LinkFinding::isError)) {
            print.findings(findings);
            print.line("Nothing was written.");
            return FAILED;
        }
        var steps = LinkPlanner.link(facts, arguments.has(PRUNE) ? Strays.REMOVED : Strays.LEFT);
        var roots = new ArrayList<>(trust.link(facts));
        if (arguments.has(PRUNE)) {
            roots.addAll(TrustPlanner.strays(facts));
        }
        if (!arguments.has(DRY_RUN)) {
            Linker.run(clusters, steps, roots);
        }
        print.steps(steps, roots, facts, findings, arguments.has(DRY_RUN));
        return 0;
    }

    private static int unlink(
            List<ClusterAccess> clusters, FactsReader reader, Arguments arguments, LinkPrinter print) {
        var facts = facts(clusters, reader);
        var gone = new HashSet<>(arguments.all(CLUSTER));
        if (gone.isEmpty()) {
            facts.stream().map(ClusterFacts::id).forEach(gone::add);
        }
        var steps = LinkPlanner.unlink(facts, gone);
        var roots = TrustPlanner.unlink(facts, gone);
        if (!arguments.has(DRY_RUN)) {
            Linker.run(clusters, steps, roots);
        }
        print.steps(steps, roots, List.of(), List.of(), arguments.has(DRY_RUN));
        return 0;
    }

    private int check(List<ClusterAccess> clusters, FactsReader reader, Arguments arguments, LinkPrinter print) {
        var probes = new HashMap<String, GatewayProbe.ProbeResult>();
        var facts = facts(clusters, reader);
        var check = new LinkCheck(
                facts,
                arguments.has(PRECHECK) ? Map.of() : views(clusters),
                place -> probes.computeIfAbsent(place, MulticlusterCommands::probe),
                clock.instant());
        var report = arguments.has(PRECHECK) ? check.precheck() : check.run();
        print.report(report, facts);
        return report.isGood() ? 0 : FAILED;
    }

    private static GatewayProbe.ProbeResult probe(String place) {
        var colon = place.lastIndexOf(':');
        return GatewayProbe.probe(place.substring(0, colon), Integer.parseInt(place.substring(colon + 1)), FOR_ANSWER);
    }

    /// Of the control planes that can be asked.
    private static Map<String, JsonNode> views(List<ClusterAccess> clusters) {
        var views = new HashMap<String, JsonNode>();
        for (var cluster : clusters) {
            cluster.fathomd().ifPresent(fathomd -> {
                try {
                    views.put(cluster.context(), fathomd.json("/debug/clusterz"));
                } catch (ProblemException _) {
                    // it does not run: those who ask it for configuration tell
                }
            });
        }
        return views;
    }
}
