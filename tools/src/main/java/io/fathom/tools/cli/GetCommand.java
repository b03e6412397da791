// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Command;
import io.fathom.tools.args.Flag;
import io.fathom.tools.query.FathomdClient;
import io.fathom.tools.query.TextTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Function;

/// Prints one kind of thing that the control plane serves or has to say.
final class GetCommand {
    private static final String HELP = """
            Show what the control plane serves, or what is wrong with its manifests.

              workloads   every instance that can take traffic
              services    names and addresses in front of them
              policies    layer-4 policies as node proxies enforce them
              problems    all that is not as written or meant: mistakes in manifests, references that lead nowhere,
                          conditions that are not true, what proxies refuse. Exit code 1 if one is an error
              status      conditions and addresses to be written back to the objects""";
    private static final Flag NAMESPACE =
            Flag.of("--namespace", "NAME", "Only what is in this namespace.").orShort("-n");
    private static final Flag OUTPUT =
            Flag.of("--output", "FORMAT", "table (default) or json").orShort("-o");

    private GetCommand() {}

    static Command command(Function<Arguments, FathomdClient> client) {
        return new Command("get", List.of(), "KIND", HELP, List.of(NAMESPACE, OUTPUT), (arguments, out) -> {
            var kind = kind(arguments.operands());
            var output = output(arguments.value(OUTPUT).orElse("table"));
            return print(kind, arguments.value(NAMESPACE).orElse(""), output, client.apply(arguments), out);
        });
    }

    private static int print(
            DebugListing kind, String namespace, Output output, FathomdClient client, PrintWriter out) {
        var whole = client.json(kind.page());
        var part = MeshTables.inNamespace(kind, kind.part().isEmpty() ? whole : whole.path(kind.part()), namespace);
        var exit = kind == DebugListing.PROBLEMS && MeshTables.hasErrors(part) ? 1 : 0;
        if (output == Output.JSON) {
            out.println(part.toPrettyString());
            return exit;
        }
        var table = table(kind, whole, part);
        if (table.isEmpty()) {
            out.println(kind.nothing() + (namespace.isEmpty() ? "" : " in namespace " + namespace));
        } else {
            table.print(out);
        }
        return exit;
    }

    private static TextTable table(DebugListing kind, JsonNode whole, JsonNode part) {
        return switch (kind) {
            case WORKLOADS -> MeshTables.workloads(part, whole.path("services"));
            case SERVICES -> MeshTables.services(part, whole);
            case POLICIES -> MeshTables.policies(part);
            case PROBLEMS -> MeshTables.problems(part);
            case STATUS -> MeshTables.status(part);
        };
    }

    private static DebugListing kind(List<String> operands) {
        if (operands.size() == 1) {
            return DebugListing.of(operands.getFirst());
        }
        throw usage(
                operands.isEmpty() ? "get what?" : "get takes one kind at a time: " + operands,
                "give one of " + DebugListing.words());
    }

    private static Output output(String word) {
        return switch (word) {
            case "table" -> Output.TABLE;
            case "json" -> Output.JSON;
            default -> throw usage("--output: there is no format '" + word + "'", "give table or json");
        };
    }

    private static ProblemException usage(String message, String fix) {
        return new ProblemException(Problem.ofInput("bad-command-line", message, fix));
    }
}
