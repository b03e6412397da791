// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.curl;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A command line, in the words of curl as far as pages of programs need them.
///
/// @param method empty if it is not given
/// @param patience to connect, and then for the answer
/// @param output a file instead of standard output
record CurlOptions(
        List<URI> targets,
        Optional<String> method,
        Map<String, String> headers,
        Optional<String> body,
        Duration patience,
        Optional<String> output,
        Set<Mode> modes) {
    enum Mode {
        SILENT,
        SHOW_ERROR,
        FAIL
    }

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Map<String, String> SHORT = Map.of(
            "--silent", "-s",
            "--show-error", "-S",
            "--fail", "-f",
            "--request", "-X",
            "--header", "-H",
            "--data", "-d",
            "--max-time", "-m",
            "--output", "-o");

    /// Says what is wrong with a command line.
    static final class Misuse extends Exception {
        private static final long serialVersionUID = 1;
        private final int code;

        Misuse(int code, String message) {
            super(message, null, false, false);
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    static CurlOptions parse(String[] args) throws Misuse {
        var draft = new Draft();
        var words = new ArrayDeque<>(List.of(args));
        while (!words.isEmpty()) {
            var word = words.pop();
            if (word.startsWith("--")) {
                var letter = SHORT.get(word);
                if (letter == null) {
                    throw unknown(word);
                }
                draft.option(letter.charAt(1), "", words, word);
            } else if (word.startsWith("-") && word.length() > 1) {
                letters(word, words, draft);
            } else {
                draft.targets.add(uri(word));
            }
        }
        if (draft.targets.isEmpty()) {
            throw new Misuse(2, "no URL: try curl -s localhost:15000/config_dump");
        }
        return new CurlOptions(
                List.copyOf(draft.targets),
                draft.method,
                Map.copyOf(draft.headers),
                draft.body,
                draft.patience,
                draft.output,
                Set.copyOf(draft.modes));
    }

    /// `-sm 5` is `-s -m 5`, and so is `-sm5`.
    private static void letters(String word, Deque<String> words, Draft draft) throws Misuse {
        for (int i = 1; i < word.length(); i++) {
            if (draft.option(word.charAt(i), word.substring(i + 1), words, "-" + word.charAt(i))) {
                return;
            }
        }
    }

    private static URI uri(String word) throws Misuse {
        try {
            var uri = URI.create(word.contains("://") ? word : "http://" + word);
            if (!uri.getScheme().toLowerCase(Locale.ROOT).equals("http")) {
                throw new Misuse(1, "protocol " + uri.getScheme() + " is not supported: this small curl knows http");
            }
            if (uri.getHost() == null) {
                throw new Misuse(3, "no host in URL " + word);
            }
            return uri;
        } catch (IllegalArgumentException e) {
            throw new Misuse(3, "malformed URL " + word);
        }
    }

    private static Misuse unknown(String word) {
        return new Misuse(2, "option " + word + ": is unknown; this small curl knows -s -S -f -X -H -d -m -o");
    }

    private static final class Draft {
        private final List<URI> targets = new ArrayList<>();
        private final Map<String, String> headers = new HashMap<>();
        private final Set<Mode> modes = EnumSet.noneOf(Mode.class);
        private Optional<String> method = Optional.empty();
        private Optional<String> body = Optional.empty();
        private Optional<String> output = Optional.empty();
        private Duration patience = LONG;

        /// Whether the option took the rest of its word, or the next one.
        boolean option(char letter, String rest, Deque<String> words, String name) throws Misuse {
            switch (letter) {
                case 's' -> modes.add(Mode.SILENT);
                case 'S' -> modes.add(Mode.SHOW_ERROR);
                case 'f' -> modes.add(Mode.FAIL);
                default -> {
                    value(letter, name, rest, words);
                    return true;
                }
            }
            return false;
        }

        private void value(char letter, String name, String rest, Deque<String> words) throws Misuse {
            if ("XHdmo".indexOf(letter) < 0) {
                throw unknown(name);
            }
            if (rest.isEmpty() && words.isEmpty()) {
                throw new Misuse(2, "option " + name + ": requires parameter");
            }
            var value = rest.isEmpty() ? words.pop() : rest;
            switch (letter) {
                case 'X' -> method = Optional.of(value);
                case 'd' -> body = Optional.of(value);
                case 'o' -> output = Optional.of(value);
                case 'm' -> patience = seconds(name, value);
                default -> header(name, value);
            }
        }

        private void header(String name, String value) throws Misuse {
            var colon = value.indexOf(':');
            if (colon <= 0) {
                throw new Misuse(2, "option " + name + ": " + value + " is no NAME: VALUE");
            }
            headers.put(
                    value.substring(0, colon).toLowerCase(Locale.ROOT),
                    value.substring(colon + 1).strip());
        }

        private static Duration seconds(String name, String value) throws Misuse {
            try {
                var millis = (long) (Double.parseDouble(value) * 1000);
                if (millis > 0) {
                    return Duration.ofMillis(millis);
                }
            } catch (NumberFormatException e) {
                // told below
            }
            throw new Misuse(2, "option " + name + ": " + value + " is no number of seconds");
        }
    }
}
