// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import io.fathom.verify.seeds.Excerpt.Kind;
import io.fathom.wire.proto.security.Authorization;
import io.fathom.wire.proto.security.Match;
import io.fathom.wire.proto.security.Rules;
import io.fathom.wire.proto.workload.Address;
import io.fathom.wire.proto.workload.GatewayAddress;
import io.fathom.wire.proto.workload.NetworkAddress;
import io.fathom.wire.proto.workload.Port;
import io.fathom.wire.proto.workload.Service;
import io.fathom.wire.proto.workload.TunnelProtocol;
import io.fathom.wire.proto.workload.Workload;
import io.fathom.wire.proto.workload.WorkloadStatus;
import io.fathom.wire.proto.workload.WorkloadType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/// Each manifest of the seeds, read from a folder as printed, and its effect; each shape that they print, compared with
/// what we serve.
class SeedsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern TEST_CLASS = Pattern.compile("`(?:\\w+/)*(\\w+(?:Test|IT))(?:\\.\\w+)?`");
    private static final Pattern DIFFERENCE = Pattern.compile("(?m)^\\| [\\d:, -]+ \\|(?:[^|\\n]+\\|){3}$");
    private static final Pattern RULE = Pattern.compile("(?m)^(?:\\*|-A ).*$");

    @TempDir
    Path folder;

    @TestFactory
    Stream<DynamicTest> excerpts() {
        return Excerpt.tests(SeedsTest.class, this::check);
    }

    private Executable check(Excerpt excerpt) {
        var text = excerpt.text();
        return switch (excerpt.at()) {
            case "000:40" -> () -> fields(text, Workload.getDescriptor());
            case "000:66" -> () -> new WorkloadShapes(folder(excerpt)).pushOfAPod();
            case "000:113" -> () -> authorizations(text);
            case "000:237" -> () -> new WaypointShapes(folder(excerpt)).types(text);
            case "000:327" -> () -> new GatewayShapes(folder(excerpt)).eastWest(text);
            case "000:345" -> () -> new GatewayShapes(folder(excerpt)).remote(text);
            case "001:193" -> () -> new WaypointShapes(folder(excerpt)).waypoint(text);
            case "001:232", "004:74" -> () -> new WaypointShapes(folder(excerpt)).route(text);
            case "002:151" -> () -> fields(text, Address.getDescriptor());
            case "002:163" -> () -> fields(text, Service.getDescriptor(), "address is gone");
            case "002:192" -> () -> fields(text, Workload.getDescriptor(), OLD_WORKLOAD);
            case "002:276" -> () -> fields(text, Workload.getDescriptor());
            case "002:292" -> () -> fields(text, Workload.getDescriptor(), "node 1 is 9", "cluster_id 2 is 18");
            case "002:300" -> () -> values(text, WorkloadStatus.getDescriptor(), OLD_STATUS);
            case "002:312" -> () -> values(text, WorkloadType.getDescriptor());
            case "002:328" -> () -> fields(text, Port.getDescriptor());
            case "002:336" -> () -> values(text, TunnelProtocol.getDescriptor(), "HTTP is gone");
            case "002:347" -> () -> fields(text, GatewayAddress.getDescriptor(), "port is gone");
            case "002:360" -> () -> fields(text, NetworkAddress.getDescriptor(), "address 1 is 2", "network 2 is 1");
            case "003:71" -> () -> new GatewayShapes(folder(excerpt)).listener();
            case "003:96" -> () -> new GatewayShapes(folder(excerpt)).routes();
            case "003:125" -> () -> new GatewayShapes(folder(excerpt)).endpointOutside();
            case "003:146" -> () -> new GatewayShapes(folder(excerpt)).endpointInTheMesh();
            case "003:176" -> () -> new GatewayShapes(folder(excerpt)).endpointBehindAWaypoint();
            case "003:209" -> () -> new GatewayShapes(folder(excerpt)).tunnelListener();
            case "003:246" -> () -> new GatewayShapes(folder(excerpt)).tunnelCluster();
            case "003:307" -> () -> rules(text);
            default -> throw new AssertionError("nothing checks " + excerpt);
        };
    }

    private static final String[] OLD_WORKLOAD = {
        "uid 0 is 20",
        "addresses 1 is 3",
        "network 2 is 4",
        "tunnel_protocol 3 is 5",
        "native_tunnel 4 is 14",
        "namespace 5 is 2",
        "network_gateway 9 is 19",
        "virtual_ips is gone",
        "authorization_policies 11 is 16",
        "weight is gone",
        "status 13 is 17"
    };
    private static final String[] OLD_STATUS = {
        "UNKNOWN is gone", "HEALTHY 1 is 0", "UNHEALTHY 2 is 1", "DRAINING is gone"
    };

    /// Today's wire has them all, but for these: docs/seeds.md says what became of them.
    private static void fields(String printed, Descriptor now, String... different) {
        assertThat(ProtoFields.differences(printed, now)).containsExactly(different);
    }

    private static void values(String printed, EnumDescriptor now, String... different) {
        assertThat(ProtoFields.differences(printed, now)).containsExactly(different);
    }

    private static void authorizations(String printed) {
        var messages = printed.split("\nmessage ", -1);
        fields(messages[0], Authorization.getDescriptor(), "rules is gone");
        fields(messages[1], Rules.getDescriptor(), "matches 1 is 2");
        fields(
                messages[2],
                Match.getDescriptor(),
                "source_ips 1 is 5",
                "not_source_ips 2 is 6",
                "source_identities is gone",
                "not_source_identities is gone",
                "destination_ips 5 is 7",
                "destination_ports 6 is 9",
                "principals 7 is 3");
    }

    /// The golden text is what the node agent writes: `RuleFormTest` and `CaptureTest` of `node` hold it to that.
    private static void rules(String printed) throws IOException {
        var written = Files.readString(ROOT.resolve("node/src/test/resources/rules/plain/iptables-restore.txt"));
        assertThat(ruleSet(written)).isEqualTo(ruleSet(printed));
    }

    /// The rules of each chain in their order; which chain comes first makes no difference.
    private static Map<String, List<String>> ruleSet(String text) {
        var table = new String[] {""};
        return RULE.matcher(text)
                .results()
                .map(MatchResult::group)
                .filter(line -> {
                    table[0] = line.startsWith("*") ? line : table[0];
                    return line.startsWith("-A ");
                })
                .map(line -> Map.entry(
                        table[0] + " " + line.split(" ", 3)[1], line.replace("169.254.7.127/32", "169.254.7.127")))
                .collect(Collectors.groupingBy(
                        Map.Entry::getKey, TreeMap::new, Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
    }

    private Path folder(Excerpt excerpt) throws IOException {
        return Files.createDirectories(folder.resolve(excerpt.at().replace(':', '-')));
    }

    // --- the tables --------------------------------------------------------------------------------------------------

    @Test
    void eachExcerptNamesTestsThatExist_exceptForWhatIsNotThereYet() throws IOException {
        var classes = testClasses();
        assertThat(Excerpt.all()).isNotEmpty().allSatisfy(excerpt -> {
            assertThat(classes).containsAll(excerpt.tests());
            assertThat(excerpt.tests().isEmpty()).as(excerpt.place()).isEqualTo(excerpt.kind() == Kind.LATER);
        });
    }

    @Test
    void eachTestThatTheDocumentNamesExists_andItCountsRight() throws IOException {
        var document = Files.readString(ROOT.resolve("docs/seeds.md"));
        var named = TEST_CLASS
                .matcher(document)
                .results()
                .map(match -> match.group(1))
                .distinct()
                .toList();
        assertThat(named).contains("SeedsTest", "SeedsIT", "ClusterIT");
        assertThat(testClasses()).containsAll(named);

        assertThat(document.replace('\n', ' '))
                .contains("%d manifests, %d commands, %d shapes, %d not there yet"
                        .formatted(count(Kind.MANIFEST), count(Kind.COMMAND), count(Kind.SHAPE), count(Kind.LATER)))
                .contains("have %d rows for those"
                        .formatted(DIFFERENCE.matcher(document).results().count()));
    }

    private static long count(Kind kind) {
        return Excerpt.all().stream().filter(excerpt -> excerpt.kind() == kind).count();
    }

    private static List<String> testClasses() throws IOException {
        try (var files = Files.find(
                ROOT,
                12,
                (file, _) -> file.toString().contains("src/test/java")
                        && file.toString().endsWith(".java"))) {
            return files.map(file -> file.getFileName().toString().replace(".java", ""))
                    .toList();
        }
    }

    /// The item with that value; without one, a failure that shows the list.
    static JsonNode only(JsonNode list, String field, String value) {
        for (var item : list) {
            if (item.path(field).asText().equals(value)) {
                return item;
            }
        }
        throw new AssertionError("none with " + field + " " + value + " in " + list);
    }
}
