package io.fathom.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// Prints one kind of thing that the control plane serves or has to say.
@Command(
        name = "get",
        description = {
            "Show what the control plane serves:%n",
            "  workloads   every instance that can take traffic",
            "  services    names and addresses in front of them",
            "  policies    layer-4 policies as node proxies enforce them",
            "  problems    what is wrong with the manifests: file, line, field and fix",
            "  status      conditions and addresses to be written back to the objects%n"
        },
        sortOptions = false)
final class GetCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before anything runs
    private CommandSpec spec;

    @Parameters(
            paramLabel = "KIND",
            converter = KindConverter.class,
            description = "workloads, services, policies, problems or status")
    private Kind kind = Kind.WORKLOADS;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAME",
            description = "Only what is in this namespace.")
    private String namespace = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "table (default) or json")
    private Output output = Output.TABLE;

    private final Fathomctl root;

    GetCommand(Fathomctl root) {
        this.root = root;
    }

    /// What can be asked for, and the page that has it.
    enum Kind {
        WORKLOADS("/debug/ambientz", "workloads", "no workloads"),
        SERVICES("/debug/ambientz", "services", "no services"),
        POLICIES("/debug/ambientz", "policies", "no policies"),
        PROBLEMS("/debug/ambientz", "problems", "no problems: every manifest is in use"),
        STATUS("/debug/statusz", "", "no conditions");

        private final String page;
        private final String part;
        private final String nothing;

        Kind(String page, String part, String nothing) {
            this.page = page;
            this.part = part;
            this.nothing = nothing;
        }
    }

    @Override
    public Integer call() {
        var out = spec.commandLine().getOut();
        var whole = root.client().json(kind.page);
        var part = MeshTables.inNamespace(kind, kind.part.isEmpty() ? whole : whole.path(kind.part), namespace);
        if (output == Output.JSON) {
            out.println(part.toPrettyString());
            return 0;
        }
        var table = table(whole, part);
        if (table.isEmpty()) {
            out.println(kind.nothing + (namespace.isEmpty() ? "" : " in namespace " + namespace));
        } else {
            table.print(out);
        }
        return 0;
    }

    private TextTable table(JsonNode whole, JsonNode part) {
        return switch (kind) {
            case WORKLOADS -> MeshTables.workloads(part, whole.path("services"));
            case SERVICES -> MeshTables.services(part, whole.path("workloads"));
            case POLICIES -> MeshTables.policies(part);
            case PROBLEMS -> MeshTables.problems(part);
            case STATUS -> MeshTables.status(part);
        };
    }

    static final class KindConverter implements ITypeConverter<Kind> {
        @Override
        public Kind convert(String text) {
            var wanted = text.toLowerCase(Locale.ROOT);
            return Arrays.stream(Kind.values())
                    .filter(kind -> matches(kind, wanted))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException(
                            "unknown kind '%s': one of workloads, services, policies, problems, status"
                                    .formatted(text)));
        }

        private static boolean matches(Kind kind, String wanted) {
            var plural = kind.name().toLowerCase(Locale.ROOT);
            return switch (wanted) {
                case "w" -> kind == Kind.WORKLOADS;
                case "svc" -> kind == Kind.SERVICES;
                case "pol", "policy" -> kind == Kind.POLICIES;
                default -> plural.equals(wanted) || plural.equals(wanted + "s");
            };
        }
    }
}
