// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// A rule of iptables with what has no meaning taken out: the order of options, the names of modules, whole-address
/// masks, other spellings. Two rules are the same if their forms are equal. Pure.
record RuleForm(List<String> options) {
    private static final Map<String, String> SPELLINGS = Map.of(
            "--source", "-s",
            "--destination", "-d",
            "--protocol", "-p",
            "--in-interface", "-i",
            "--out-interface", "-o",
            "--jump", "-j",
            "--destination-port", "--dport",
            "--source-port", "--sport",
            "--to-port", "--to-ports",
            "--match", "-m");

    static RuleForm of(String line) {
        return of(words(line));
    }

    static RuleForm of(List<String> words) {
        var options = new TreeSet<String>();
        var sense = "";
        for (int i = 0; i < words.size(); ) {
            var word = words.get(i++);
            if (word.equals("!")) {
                sense = "! ";
                continue;
            }
            var option = new StringBuilder(sense).append(SPELLINGS.getOrDefault(word, word));
            while (i < words.size() && !isOption(words.get(i))) {
                option.append(' ').append(value(words.get(i++)));
            }
            sense = "";
            if (!option.toString().startsWith("-m ")) {
                options.add(option.toString());
            }
        }
        return new RuleForm(List.copyOf(options));
    }

    /// Where the rule goes on, if it says so.
    Optional<String> target() {
        return options.stream()
                .filter(option -> option.startsWith("-j ") || option.startsWith("-g "))
                .map(option -> option.substring(3))
                .findFirst();
    }

    private static boolean isOption(String word) {
        return word.equals("!") || (word.startsWith("-") && word.length() > 1 && !Character.isDigit(word.charAt(1)));
    }

    private static String value(String word) {
        for (var whole : List.of("/32", "/128", "/255.255.255.255")) {
            if (word.endsWith(whole) && !word.startsWith("0x")) {
                return word.substring(0, word.length() - whole.length());
            }
        }
        return word;
    }

    /// Splits at blanks; text in double quotes is one word, with backslashes before quotes in it.
    private static List<String> words(String line) {
        var words = new ArrayList<String>();
        var word = new StringBuilder();
        var quoted = false;
        var begun = false;
        for (int i = 0; i < line.length(); i++) {
            var letter = line.charAt(i);
            if (letter == '\\' && quoted && i + 1 < line.length()) {
                word.append(line.charAt(++i));
            } else if (letter == '"') {
                quoted = !quoted;
                begun = true;
                word.append(letter); // so that a comment that begins like an option is not taken for one
            } else if (letter == ' ' && !quoted) {
                if (begun) {
                    words.add(word.toString());
                }
                word.setLength(0);
                begun = false;
            } else {
                word.append(letter);
                begun = true;
            }
        }
        if (begun) {
            words.add(word.toString());
        }
        return words;
    }
}
