// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Names of types can be searched for: none stands for different things in more than two packages.
///
/// Private types and the variants of a family that is declared around them (`Attachment.Refused`) do not count: nobody
/// meets them without their owner.
@AnalyzeClasses(packages = "io.fathom", importOptions = DoNotIncludeTests.class)
class TypeNamesTest {
    private static final int MOST_PACKAGES = 2;

    /// Each program has one, and it is the same thing: how the program is run once to record which classes it loads.
    private static final Set<String> ONE_FOR_EACH_PROGRAM = Set.of("Rehearsal");

    /// Words that Kubernetes, Istio, the Gateway API or a protocol use for a part of something. The part is named like
    /// there, and is read with its owner: `LoadBalancing.Mode`, `Workload.Type`.
    private static final Set<String> WORDS_OF_THE_APIS = Set.of("Mode", "Protocol", "Scope", "Target", "Type");

    @ArchTest
    static void noNameIsSharedByManyPackages(JavaClasses classes) {
        Map<String, Set<String>> packages = new TreeMap<>();
        classes.stream()
                .filter(TypeNamesTest::counts)
                .forEach(type -> packages.computeIfAbsent(type.getSimpleName(), _ -> new TreeSet<>())
                        .add(type.getPackageName()));
        packages.values().removeIf(found -> found.size() <= MOST_PACKAGES);

        var intended = Stream.of(ONE_FOR_EACH_PROGRAM, WORDS_OF_THE_APIS)
                .flatMap(Set::stream)
                .toList();
        assertThat(packages.keySet())
                .as("names of types that mean different things in different packages: %s", packages)
                .containsExactlyInAnyOrderElementsOf(intended);
    }

    private static boolean counts(JavaClass type) {
        return !type.getPackageName().startsWith("io.fathom.wire.proto")
                && !type.getSimpleName().isEmpty()
                && !type.getSimpleName().equals("package-info")
                && !type.getModifiers().contains(JavaModifier.PRIVATE)
                && !isVariant(type);
    }

    /// Whether it is one of a family that is declared around it.
    private static boolean isVariant(JavaClass type) {
        return type.isNestedClass()
                && Stream.concat(type.getRawInterfaces().stream(), type.getRawSuperclass().stream())
                        .anyMatch(family -> outermost(family).equals(outermost(type)));
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(TypeNamesTest::outermost).orElse(type);
    }
}
