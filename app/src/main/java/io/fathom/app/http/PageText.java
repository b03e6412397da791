// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// Pages for those who do not come over HTTP: the same text, without a status. Any thread.
public final class PageText {
    private static final String DEBUG = "/debug/";

    private PageText() {}

    /// The text of the page `/debug/<name>`.
    ///
    /// @param name may have a query: `config_dump?proxyID=x`
    public static String ofDebug(Pages pages, String name) {
        var mark = name.indexOf('?');
        var path = DEBUG + (mark < 0 ? name : name.substring(0, mark));
        var entry = pages.at(path).filter(found -> found.method() == Page.Method.READ);
        if (entry.isEmpty()) {
            return "404 page not found\n";
        }
        var query = HttpRequest.query(mark < 0 ? "" : name.substring(mark + 1), "");
        return switch (entry.get().page().reply(query)) {
            case Page.Reply.Text text -> text.body();
            case Page.Reply.WrongMethod _ -> "404 page not found\n";
            case Page.Reply.Binary binary -> new String(binary.body(), StandardCharsets.UTF_8);
            case Page.Reply.Json json -> text(json);
            case Page.Reply.Stream stream -> text(stream);
        };
    }

    private static String text(Page.Reply.Stream stream) {
        var bytes = new ByteArrayOutputStream();
        try {
            stream.body().write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static String text(Page.Reply.Json json) {
        var bytes = new ByteArrayOutputStream();
        try (var out = JsonOut.to(bytes, JsonOut.Layout.PRETTY)) {
            json.body().accept(out);
            out.end(JsonOut.Layout.PRETTY);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
