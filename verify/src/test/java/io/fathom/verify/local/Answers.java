// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// What services answered a client that asked them over and over, in the order in which it came.
record Answers(List<OneAnswer> all) {
    private static final Pattern LINE = Pattern.compile("(\\d+) (\\S+) (?:(\\S+) (\\d) (waypoint|direct)|failed \\S+)");

    /// One answer, or none.
    ///
    /// @param nanos when, as [System#nanoTime()] tells it
    /// @param asked the service that was meant
    /// @param given the one that answered
    record OneAnswer(long nanos, String asked, Optional<Given> given) {}

    /// @param way `waypoint` or `direct`
    record Given(String service, String cluster, String way) {}

    Answers {
        all = List.copyOf(all);
    }

    /// A line that is being written is left out.
    static Answers parse(String text) {
        return new Answers(text.substring(0, text.lastIndexOf('\n') + 1)
                .lines()
                .map(LINE::matcher)
                .filter(line -> line.matches())
                .map(line -> new OneAnswer(
                        Long.parseLong(line.group(1)),
                        line.group(2),
                        Optional.ofNullable(line.group(3))
                                .map(service -> new Given(service, line.group(4), line.group(5)))))
                .toList());
    }

    /// Those of one service.
    Answers of(String service) {
        return filter(answer -> answer.asked().equals(service));
    }

    /// Those of one cluster.
    Answers from(String cluster) {
        return filter(answer ->
                answer.given().filter(given -> given.cluster().equals(cluster)).isPresent());
    }

    Answers since(long nanos) {
        return filter(answer -> answer.nanos() >= nanos);
    }

    Answers last(int count) {
        return new Answers(all.subList(Math.max(0, all.size() - count), all.size()));
    }

    Answers given() {
        return filter(answer -> answer.given().isPresent());
    }

    Answers filter(Predicate<OneAnswer> which) {
        return new Answers(all.stream().filter(which).toList());
    }

    int failed() {
        return all.size() - given().all.size();
    }

    /// The longest time in which nobody answered.
    ///
    /// @param since before the first of them
    Duration longestGap(long since) {
        var longest = 0L;
        var last = since;
        for (var answer : given().all) {
            longest = Math.max(longest, answer.nanos() - last);
            last = answer.nanos();
        }
        return Duration.ofNanos(longest);
    }
}
