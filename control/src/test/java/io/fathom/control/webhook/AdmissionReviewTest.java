// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionReviewTest {
    private static final String REVIEW = """
            {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u-1",
             "resource": {"group": "security.istio.io", "version": "v1", "resource": "authorizationpolicies"},
             "operation": "CREATE", "object": {"kind": "AuthorizationPolicy"}}}""";

    @Test
    void givenAReview_thenItIsReadAndTheAnswerRepeatsItsUid() {
        var review = AdmissionReview.parse(REVIEW);
        assertThat(review.group()).isEqualTo("security.istio.io");
        assertThat(review.resource()).isEqualTo("authorizationpolicies");
        assertThat(review.hasObject()).isTrue();

        var refused = answer(
                review, new Verdict("P a/b", List.of(new Verdict.Mistake("f", "is bad", "mend it")), List.of("w")));
        assertThat(refused.at("uid").text()).isEqualTo("u-1");
        assertThat(refused.at("allowed").flag()).isFalse();
        assertThat(refused.at("warnings").texts()).containsExactly("w");
        assertThat(refused.at("status").at("message").text()).isEqualTo("P a/b: f: is bad (fix: mend it)");
        assertThat(answer(review, Verdict.unjudged(review.object()))
                        .at("allowed")
                        .flag())
                .isTrue();
    }

    @Test
    void givenADeletion_thenThereIsNoObject() {
        assertThat(AdmissionReview.parse(REVIEW.replace("{\"kind\": \"AuthorizationPolicy\"}", "null"))
                        .hasObject())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "{}",
                "[]",
                "{\"kind\": \"AdmissionReview\", \"apiVersion\": \"admission.k8s.io/v1beta1\"}"
            })
    void givenSomethingElse_thenItIsRefused(String body) {
        assertThatThrownBy(() -> AdmissionReview.parse(body)).isInstanceOf(MisreadException.class);
    }

    private static Field answer(AdmissionReview review, Verdict verdict) {
        return Field.root(Json.parse("answer", review.answer(verdict))).at("response");
    }
}
