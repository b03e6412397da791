// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cahelper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.helper.HelperConfig.Foreign;
import io.fathom.tools.args.Arguments;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CaHelperConfigTest {
    private static final Map<String, String> VAULT =
            Map.of("VAULT_ADDR", "https://vault.example:8200", "VAULT_TOKEN", "hvs.secret");

    @Test
    void givenAFolder_thenNoApiServerIsNeededAndNothingForeignIsReplaced() {
        var config = config(VAULT, "--folder", "/etc/cacerts", "--trust-domain", "example.org");

        assertThat(config.folder()).contains(Path.of("/etc/cacerts"));
        assertThat(config.kube()).isEmpty();
        assertThat(config.foreign()).isEqualTo(Foreign.REFUSED);
        assertThat(config.vault().profile().organization()).isEqualTo("example.org");
        assertThat(config(VAULT, "--folder=x", "--take-over=true").foreign()).isEqualTo(Foreign.REPLACED);
    }

    static Stream<org.junit.jupiter.params.provider.Arguments> mistakes() {
        return Stream.of(
                argumentSet("nowhere to store", Map.of(), "", "--folder"),
                argumentSet("no Vault", Map.of("VAULT_ADDR", ""), "--folder=x", "VAULT_ADDR"),
                argumentSet("two logins", Map.of("FATHOM_VAULT_TOKEN_FILE", "f"), "--folder=x", "log in"),
                argumentSet("no truth", Map.of(), "--folder=x --take-over=yes", "--take-over"),
                argumentSet("no level", Map.of(), "--folder=x --log-level=loud", "error, warn, info, debug, trace"),
                argumentSet("no address", Map.of(), "--folder=x --listen-address=here", "127.0.0.1"),
                argumentSet("a misspelt flag", Map.of(), "--foldre=x", "--folder"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistake_thenTheComplaintNamesIt(Map<String, String> environment, String flags, String named) {
        var all = new HashMap<>(VAULT);
        all.putAll(environment);
        assertThatThrownBy(() -> config(all, flags.isEmpty() ? new String[0] : flags.split(" ", -1)))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().toString()).contains(named));
    }

    private static CaHelperConfig config(Map<String, String> environment, String... flags) {
        return CaHelperConfig.of(Arguments.parse(CaHelperMain.FLAGS, flags), environment);
    }
}
