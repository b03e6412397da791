// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.LinkedHashMap;
import java.util.Map;

/// A question of the API server about one object, `admission.k8s.io/v1`, and the form of our answers.
///
/// @param uid that the answer has to repeat
/// @param operation such as CREATE
/// @param object as it shall be stored; nothing when it shall go
public record AdmissionReview(
        String uid, String group, String version, String resource, String operation, Tree object) {
    private static final String API = "admission.k8s.io/v1";

    /// Reads a question.
    ///
    /// @throws MisreadException when it is no such question
    public static AdmissionReview parse(String body) {
        var review = Field.root(Json.parse("review", body));
        if (!review.at("kind").text().equals("AdmissionReview")
                || !review.at("apiVersion").text().equals(API)) {
            throw review.at("kind").wrong("not-a-review", "is not an AdmissionReview of " + API, "send one");
        }
        var request = review.at("request");
        var resource = request.at("resource");
        return new AdmissionReview(
                request.at("uid").requiredText(),
                resource.at("group").text(),
                resource.at("version").text(),
                resource.at("resource").text(),
                request.at("operation").text(),
                request.at("object").tree());
    }

    public boolean hasObject() {
        return object instanceof Tree.Mapping;
    }

    /// The answer, as JSON.
    public String answer(Verdict verdict) {
        var response = new LinkedHashMap<String, Object>();
        response.put("uid", uid);
        response.put("allowed", verdict.isAllowed());
        if (!verdict.warnings().isEmpty()) {
            response.put("warnings", verdict.warnings());
        }
        if (!verdict.isAllowed()) {
            response.put("status", Map.of("code", 400, "reason", "Invalid", "message", verdict.message()));
        }
        return Json.compact(Json.of(Map.of("apiVersion", API, "kind", "AdmissionReview", "response", response)));
    }
}
