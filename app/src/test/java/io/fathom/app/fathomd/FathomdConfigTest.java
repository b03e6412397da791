// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.deploy.DeploySettings;
import io.fathom.control.status.Candidate;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FathomdConfigTest {
    @TempDir
    private Path manifests;

    @Test
    void givenOnlyTheFolder_thenUpstreamsDefaults() {
        var config = parse(Map.of());

        assertThat(config.source().manifests()).containsExactly(manifests);
        assertThat(config.listening().plaintextPort()).isEqualTo(15010);
        assertThat(config.listening().tlsPort()).isEqualTo(15012);
        assertThat(config.listening().httpPort()).isEqualTo(15014);
        assertThat(config.clusterId()).isEqualTo("Kubernetes");
        assertThat(config.mesh().trustDomain()).isEqualTo("cluster.local");
        assertThat(config.systemNamespace()).isEqualTo("istio-system");
        assertThat(config.mesh().network()).isEmpty();
        assertThat(config.listening().rootCertFile()).isEmpty();
    }

    @Test
    void givenUpstreamsVariables_thenTheyCount() {
        var config = parse(Map.of(
                "CLUSTER_ID", "west", "TRUST_DOMAIN", "example.org", "POD_NAMESPACE", "mesh", "REVISION", "canary"));

        assertThat(config.clusterId()).isEqualTo("west");
        assertThat(config.mesh().trustDomain()).isEqualTo("example.org");
        assertThat(config.systemNamespace()).isEqualTo("mesh");
        assertThat(config.revision()).isEqualTo("canary");
    }

    @Test
    void givenFlagAndVariable_thenTheFlagWins() {
        var config = parse(Map.of("CLUSTER_ID", "west"), "--cluster-id=east", "--http-port", "0");

        assertThat(config.clusterId()).isEqualTo("east");
        assertThat(config.listening().httpPort()).isZero();
    }

    @Test
    void givenTheFlagOrTheVariable_thenRulesThatCannotBeEnforcedDeny() {
        assertThat(parse(Map.of()).features()).doesNotContain(Feature.DENY_UNENFORCEABLE_RULES);
        assertThat(parse(Map.of(), "--deny-unenforceable-rules=true").features())
                .contains(Feature.DENY_UNENFORCEABLE_RULES);
        assertThat(parse(Map.of("FATHOM_DENY_UNENFORCEABLE_RULES", "true")).features())
                .contains(Feature.DENY_UNENFORCEABLE_RULES);
    }

    @Test
    void givenAnEmptyVariable_thenTheDefault() {
        assertThat(parse(Map.of("CLUSTER_ID", "")).clusterId()).isEqualTo("Kubernetes");
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake(
                        "a port that is text",
                        List.of("--tls-port", "high"),
                        "--tls-port: 'high' is not a number",
                        "65535"),
                mistake(
                        "a port out of range",
                        List.of("--http-port=70000"),
                        "--http-port: '70000' is out of range",
                        "65535"),
                mistake("an unknown flag", List.of("--trust-domian", "x"), "--trust-domian", "--trust-domain"),
                mistake(
                        "a flag without value",
                        List.of("--cluster-id"),
                        "--cluster-id needs a value",
                        "--cluster-id ID"),
                mistake("a cluster id with a slash", List.of("--cluster-id", "a/b"), "'a/b' is not a name", "slashes"),
                mistake(
                        "a folder that is not there",
                        List.of("--manifests", "/no/such"),
                        "'/no/such' does not exist",
                        "folder"),
                mistake(
                        "no address to listen on",
                        List.of("--listen-address", "here"),
                        "'here' is not an IP address",
                        "0.0.0.0"),
                mistake("an unknown log level", List.of("--log-level", "loud"), "'loud' is not a level", "debug"),
                mistake(
                        "a root file in a folder that is not there",
                        List.of("--root-cert-file", "/no/such/root.pem"),
                        "folder that does not exist",
                        "create"));
    }

    private static Arguments mistake(String name, List<String> args, String message, String fix) {
        return argumentSet("given " + name, args, message, fix);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void thenTheComplaintNamesFlagAndFix(List<String> args, String message, String fix) {
        assertThatThrownBy(() -> parse(Map.of(), args.toArray(String[]::new)))
                .isInstanceOfSatisfying(ProblemException.class, e -> {
                    assertThat(e.problem().message()).contains(message);
                    assertThat(e.problem().fix()).contains(fix);
                });
    }

    @Test
    void givenABadVariable_thenTheComplaintNamesTheVariable() {
        assertThatThrownBy(() -> parse(Map.of("AMBIENT_ENABLE_MULTI_NETWORK", "perhaps")))
                .hasMessageContaining("AMBIENT_ENABLE_MULTI_NETWORK")
                .hasMessageContaining("perhaps");
        assertThatThrownBy(() -> parse(Map.of("FATHOM_TLS_PORT", "x")))
                .hasMessageContaining("environment variable FATHOM_TLS_PORT");
    }

    @Test
    void givenNoFolder_thenSaysSo() {
        assertThatThrownBy(() -> FathomdConfig.parse(new String[0], Map.of()))
                .hasMessageContaining("--manifests")
                .hasMessageContaining("fathomd --manifests DIR");
    }

    @Test
    void whenHelpIsShown_thenEveryFlagAndVariableIsInIt() {
        var help = CommandLine.help();

        for (var setting : FathomdSetting.values()) {
            assertThat(help).contains(setting.variable());
            setting.flag().ifPresent(flag -> assertThat(help).contains(flag.name()));
        }
    }

    private FathomdConfig parse(Map<String, String> environment, String... args) {
        var all = Stream.concat(Stream.of("--manifests", manifests.toString()), Stream.of(args));
        var folderGiven = Stream.of(args).anyMatch(arg -> arg.equals("--manifests"));
        return FathomdConfig.parse(folderGiven ? args : all.toArray(String[]::new), environment);
    }

    @Test
    void givenACompliancePolicy_thenItHoldsForProxiesAndForUs() {
        assertThat(parse(Map.of()).ambient().keyExchange()).isEqualTo(KeyExchange.ANY);
        var config = parse(Map.of("COMPLIANCE_POLICY", "pqc"));
        assertThat(config.ambient().keyExchange()).isEqualTo(KeyExchange.POST_QUANTUM);
        assertThat(config.gateways().options()).contains(DeploySettings.Option.POST_QUANTUM_TLS);
        assertThatThrownBy(() -> parse(Map.of("COMPLIANCE_POLICY", "best"))).hasMessageContaining("is no policy");
    }

    @Test
    void givenAPodName_thenItCompetesUnderItAndElectionsCanBeTurnedOff() {
        var named = parse(Map.of("POD_NAME", "istiod-1", "REVISION", "canary")).candidate();
        assertThat(named.identity()).isEqualTo("istiod-1");
        assertThat(named.revision()).isEqualTo("canary");
        assertThat(named.namespace()).isEqualTo("istio-system");
        assertThat(named.election()).isEqualTo(Candidate.Election.ON);
        var alone = parse(Map.of("ENABLE_LEADER_ELECTION", "false")).candidate();
        assertThat(alone.election()).isEqualTo(Candidate.Election.OFF);
        assertThat(alone.identity()).isNotEqualTo(parse(Map.of()).candidate().identity());
    }
}
