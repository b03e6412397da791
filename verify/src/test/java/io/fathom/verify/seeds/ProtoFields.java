// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.seeds;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Compares fields that a seed prints with those on today's wire.
final class ProtoFields {
    private static final Pattern FIELD = Pattern.compile("(\\w+) = (\\d+);");

    private ProtoFields() {}

    /// One line for each field that has another number now, or is not there by that name.
    static List<String> differences(String printed, Descriptor now) {
        return differences(
                printed, name -> Optional.ofNullable(now.findFieldByName(name)).map(field -> field.getNumber()));
    }

    static List<String> differences(String printed, EnumDescriptor now) {
        return differences(
                printed, name -> Optional.ofNullable(now.findValueByName(name)).map(value -> value.getNumber()));
    }

    private static List<String> differences(String printed, Function<String, Optional<Integer>> now) {
        return FIELD.matcher(printed)
                .results()
                .flatMap(match -> {
                    var name = match.group(1);
                    var was = Integer.parseInt(match.group(2));
                    return now
                            .apply(name)
                            .map(number -> number == was ? "" : name + " " + was + " is " + number)
                            .or(() -> Optional.of(name + " is gone"))
                            .filter(line -> !line.isEmpty())
                            .stream();
                })
                .toList();
    }
}
