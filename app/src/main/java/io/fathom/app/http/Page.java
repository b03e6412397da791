// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// One address of the HTTP port. Called on a virtual thread; may block, unless it is a [Pages#probe].
public interface Page {
    Reply reply(Query query);

    /// What a request may ask of a page.
    enum Method {
        /// To be told something; also `HEAD`.
        READ,
        /// To do something: `POST`.
        ACT
    }

    /// The parameters of a request; one without a value has the empty text.
    ///
    /// @param accept the content types that the client prefers, as its header says
    /// @param body empty unless the page takes one
    record Query(Map<String, String> parameters, String accept, String body) {
        public Query(Map<String, String> parameters) {
            this(parameters, "", "");
        }

        Query withBody(String text) {
            return new Query(parameters, accept, text);
        }

        public Optional<String> parameter(String name) {
            return Optional.ofNullable(parameters.get(name));
        }
    }

    /// Writes what a client gets.
    @FunctionalInterface
    interface Body {
        /// Called once.
        ///
        /// @throws IOException when the client has left, or the source of it all fails: the connection is cut
        void write(OutputStream out) throws IOException;
    }

    /// What a request gets.
    sealed interface Reply {
        record Text(int status, String contentType, String body) implements Reply {}

        /// The request was not of the kind that the page takes.
        record WrongMethod(Method right) implements Reply {}

        /// A file to save.
        @SuppressWarnings("ArrayRecordComponent") // written once and thrown away
        record Binary(byte[] body) implements Reply {}

        /// Written straight to the client, however long it is.
        record Stream(String contentType, Body body) implements Reply {}

        /// Written straight to the client; indented when the request asks for `?pretty`.
        record Json(Consumer<JsonOut> body) implements Reply {}

        static Reply text(String body) {
            return text(200, body);
        }

        static Reply text(int status, String body) {
            return new Text(status, "text/plain; charset=utf-8", body.endsWith("\n") ? body : body + "\n");
        }

        static Reply html(String body) {
            return new Text(200, "text/html; charset=utf-8", body);
        }

        static Reply json(Consumer<JsonOut> body) {
            return new Json(body);
        }
    }
}
