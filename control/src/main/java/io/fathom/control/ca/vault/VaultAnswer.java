// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// What Vault said. The body is an empty object if there was none or it was no JSON object.
record VaultAnswer(int status, JsonNode body) {
    private static final int MAX_ERROR_LENGTH = 300;

    boolean ok() {
        return status >= 200 && status < 300;
    }

    /// A text inside `data`, as most answers carry what was asked for there.
    Optional<String> data(String field) {
        return Optional.of(body.path("data").path(field).asText("")).filter(text -> !text.isBlank());
    }

    List<String> dataList(String field) {
        var texts = new ArrayList<String>();
        body.path("data").path(field).forEach(element -> texts.add(element.asText("")));
        return texts;
    }

    /// A number of seconds inside an object of the body; zero if it is missing.
    Duration seconds(String object, String field) {
        return Duration.ofSeconds(Math.max(0, body.path(object).path(field).asLong(0)));
    }

    /// Vault's own words, on one line and not too long.
    String errors() {
        var texts = new ArrayList<String>();
        body.path("errors").forEach(element -> texts.add(element.asText("")));
        var line = texts.stream()
                .map(text -> text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip())
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
        return line.length() <= MAX_ERROR_LENGTH ? line : line.substring(0, MAX_ERROR_LENGTH) + "…";
    }

    boolean mentions(String words) {
        return errors().contains(words);
    }
}
