// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.sds;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.envoy.sds.SecretName.Half;
import io.fathom.control.envoy.sds.SecretName.Store;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.core.SecretText;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretNameTest {
    @ParameterizedTest
    @CsvSource({
        "kubernetes://a, SECRET, edge, a, KEY_PAIR",
        "kubernetes://b/a, SECRET, b, a, KEY_PAIR",
        "kubernetes://a-cacert, SECRET, edge, a, AUTHORITIES",
        "kubernetes-gateway://b/a, GRANTED_SECRET, b, a, KEY_PAIR",
        "kubernetes-gateway://b/a-cacert, GRANTED_SECRET, b, a, AUTHORITIES",
        "configmap://b/a-cacert, CONFIG_MAP, b, a, AUTHORITIES",
    })
    void givenAName_thenItsMeaningIsKnown(String text, Store store, String namespace, String name, Half half) {
        assertThat(SecretName.parse(text, "edge")).contains(new SecretName(store, namespace, name, half));
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "ROOTCA", "invalid://", "sds://a", "kubernetes://", "kubernetes://a/b/c"})
    void givenANameOfSomebodyElse_thenItIsNotOurs(String text) {
        assertThat(SecretName.parse(text, "edge")).isEmpty();
    }

    @Test
    void givenAuthorities_thenASecretOfTheirOwnComesFirst() {
        var key = new ObjectKey("c1", "edge", "a");
        assertThat(SecretName.authorities(Store.GRANTED_SECRET, key).objects("c1"))
                .extracting(Object::toString)
                .containsExactly("Secret edge/a-cacert", "Secret edge/a");
        assertThat(SecretName.authorities(Store.CONFIG_MAP, key).objects("c1"))
                .extracting(Object::toString)
                .contains("ConfigMap edge/a");
    }

    @Test
    void givenAnObjectWithoutWhatIsAskedFor_thenTheProblemSaysSo() {
        var key = new ObjectKey("c1", "edge", "a");
        var metadata = new Metadata(key, "", Map.of(), Map.of(), Instant.EPOCH, Metadata.Lifecycle.ACTIVE);
        var broken = new CredentialManifest(
                metadata,
                "",
                Optional.of(new CredentialManifest.KeyPair(new SecretText("x"), new SecretText("y"))),
                Optional.empty(),
                Optional.empty());
        assertThat(message(SecretName.keyPair(Store.SECRET, key), broken))
                .isEqualTo("Secret edge/a: its certificate is not in PEM form");
        assertThat(message(SecretName.authorities(Store.SECRET, key), broken))
                .isEqualTo("Secret edge/a: it has no certificates of authorities");
        assertThat(message(SecretName.authorities(Store.CONFIG_MAP, key), new CaBundleManifest(metadata, "x")))
                .isEqualTo("ConfigMap edge/a: its certificates of authorities are not in PEM form");
    }

    private static String message(SecretName name, io.fathom.wire.kube.manifest.Manifest object) {
        var outcome = SecretResources.of(name.toString(), name, object);
        return ((SecretResources.SecretLookup.Bad) outcome).problem().message();
    }
}
