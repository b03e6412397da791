// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/// What production code may do. Rules on tests are in [TestHabitsTest].
@AnalyzeClasses(packages = "io.fathom", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    private static final int MOST_COMPONENTS = 12;
    private static final String GENERATED = "io.fathom.wire.proto..";

    private static final DescribedPredicate<JavaClass> WRITTEN_BY_HAND =
            DescribedPredicate.not(resideInAPackage(GENERATED)).as("written by hand");

    @ArchTest
    static final ArchRule layersPointDownOnly = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .withOptionalLayers(true)
            .layer("base")
            .definedBy("io.fathom.base..")
            .layer("model")
            .definedBy("io.fathom.model..")
            .layer("wire")
            .definedBy("io.fathom.wire..")
            .layer("control")
            .definedBy("io.fathom.control..")
            .layer("node")
            .definedBy("io.fathom.node..")
            .layer("fleet")
            .definedBy("io.fathom.fleet..")
            .layer("tools")
            .definedBy("io.fathom.tools..")
            .layer("app")
            .definedBy("io.fathom.app..")
            .layer("verify")
            .definedBy("io.fathom.verify..")
            .whereLayer("verify")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("app")
            .mayOnlyBeAccessedByLayers("verify")
            .whereLayer("tools")
            .mayOnlyBeAccessedByLayers("app", "verify")
            .whereLayer("control")
            .mayOnlyBeAccessedByLayers("tools", "app", "verify")
            .whereLayer("node")
            .mayOnlyBeAccessedByLayers("tools", "app", "verify")
            .whereLayer("fleet")
            .mayOnlyBeAccessedByLayers("tools", "app", "verify")
            .whereLayer("wire")
            .mayOnlyBeAccessedByLayers("control", "node", "fleet", "tools", "app", "verify")
            .whereLayer("model")
            .mayOnlyBeAccessedByLayers("wire", "control", "node", "fleet", "tools", "app", "verify");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("io.fathom.(**)").should().beFreeOfCycles().because("each can then be read alone");

    @ArchTest
    static final ArchRule generatedMessagesStayInTheCodecs = noClasses()
            .that()
            .resideOutsideOfPackages("io.fathom.wire..", "io.fathom.control.envoy..", "io.fathom.verify..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(GENERATED, "com.google.protobuf..")
            .because("everything above wire speaks model, but for translations to Envoy's language");

    @ArchTest
    static final ArchRule grpcStaysInWire = noClasses()
            .that()
            .resideOutsideOfPackages("io.fathom.wire..", "io.fathom.verify..")
            .or()
            .resideInAnyPackage("io.fathom.wire.kube..", "io.fathom.wire.workload..", "io.fathom.wire.pki..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.grpc..")
            .because("only servers and clients need it");

    @ArchTest
    static final ArchRule envoysLanguageStaysInTranslations = noClasses()
            .that()
            .resideOutsideOfPackages("io.fathom.wire..", "io.fathom.control.envoy..", "io.fathom.verify..")
            .or()
            .resideInAnyPackage("io.fathom.wire.kube..", "io.fathom.wire.workload..", "io.fathom.wire.pki..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.envoyproxy..", "com.github.xds..")
            .because("everything else speaks of the mesh");

    @ArchTest
    static final ArchRule modelIsPure = noClasses()
            .that()
            .resideInAPackage("io.fathom.model..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.grpc..", "io.netty..", "com.google.protobuf..", "java.io..", "java.nio.file..")
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(Clock.class, InstantSource.class)
            .because("decisions are functions of their arguments");

    @ArchTest
    static final ArchRule foreignCallsLiveInOnePackage = noClasses()
            .that()
            .resideOutsideOfPackage("io.fathom.base.posix..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.lang.foreign..");

    @ArchTest
    static final ArchRule onlyProgramsHaveMain = methods()
            .that()
            .haveName("main")
            .and()
            .areStatic()
            .should()
            .beDeclaredInClassesThat(resideInAnyPackage("io.fathom.app..", "io.fathom.verify.."))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule onlyProgramsReadTheEnvironment = noClasses()
            .that()
            .resideOutsideOfPackages("io.fathom.app..", "io.fathom.verify..")
            .should()
            .callMethodWhere(calls(System.class, "getenv|getProperty|exit"));

    @ArchTest
    static final ArchRule timeIsPassedIn = noClasses()
            .that()
            .resideOutsideOfPackages("io.fathom.base.lang..", "io.fathom.verify..")
            .should()
            .callMethodWhere(calls(Instant.class, "now")
                    .or(calls(LocalDateTime.class, "now"))
                    .or(calls(ZonedDateTime.class, "now"))
                    .or(calls(System.class, "currentTimeMillis")))
            .because("tests move the clock by hand: pass a java.time.InstantSource");

    /// Who may look at the clock that only counts, and why.
    private static final DescribedPredicate<JavaClass> MEASURES_REAL_TIME = resideInAnyPackage(
                    // event loops measure connections and plan by the same clock as Netty
                    "io.fathom.wire.hbone..",
                    "io.fathom.node.proxy..",
                    "io.fathom.node.telemetry..",
                    // how long streams live and pushes take
                    "io.fathom.wire.xds..",
                    // limits of sockets and files that nobody can play
                    "io.fathom.wire.http..",
                    "io.fathom.wire.kube.api..",
                    "io.fathom.wire.kube.folder..",
                    // starts real programs and waits for them
                    "io.fathom.tools.install..",
                    "io.fathom.tools.local..",
                    // programs: how long a start took
                    "io.fathom.app..")
            .or(named(
                    // keep some distance between writes to the cluster or the host
                    "io.fathom.control.webhook.WebhookConfigurations", "io.fathom.node.cni.install.Installation"))
            .as("measure real time");

    @ArchTest
    static final ArchRule countedTimeIsPassedInToo = noClasses()
            .that()
            .resideOutsideOfPackages("io.fathom.base.lang..", "io.fathom.verify..")
            .and(DescribedPredicate.not(MEASURES_REAL_TIME))
            .should()
            .callMethodWhere(calls(System.class, "nanoTime"))
            .because("tests move the clock by hand: take a time or a Timeline as an argument");

    @ArchTest
    static final ArchRule nobodyLooksUpNames = noClasses()
            .should()
            .callMethodWhere(calls(InetAddress.class, "getByName|getAllByName"))
            .because("that may ask a name server: use InetAddress.ofLiteral");

    @ArchTest
    static final ArchRule everyPackageIsNullMarked = classes()
            .that(WRITTEN_BY_HAND)
            .should(new ArchCondition<>("be in a package with @NullMarked") {
                @Override
                public void check(JavaClass item, ConditionEvents events) {
                    var marked = item.getPackage().isAnnotatedWith(NullMarked.class);
                    events.add(new SimpleConditionEvent(
                            item, marked, item.getPackageName() + " has no package-info.java with @NullMarked"));
                }
            });

    @ArchTest
    static final ArchRule namesSaySomething = noClasses()
            .that(WRITTEN_BY_HAND)
            .should()
            .haveSimpleNameEndingWith("Impl")
            .orShould()
            .haveSimpleNameEndingWith("Manager")
            .orShould()
            .haveSimpleNameEndingWith("Util")
            .orShould()
            .haveSimpleNameEndingWith("Utils");

    @ArchTest
    static final ArchRule recordsAreShort = classes()
            .that(WRITTEN_BY_HAND)
            .and()
            .areRecords()
            .should(new ArchCondition<>("have at most " + MOST_COMPONENTS + " components") {
                @Override
                public void check(JavaClass item, ConditionEvents events) {
                    var components = item.getFields().stream()
                            .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                            .count();
                    events.add(new SimpleConditionEvent(
                            item, components <= MOST_COMPONENTS, item.getName() + " has " + components));
                }
            })
            .because("nobody should have to count commas: group what belongs together");

    private static DescribedPredicate<JavaClass> named(String... names) {
        return DescribedPredicate.describe(
                "named " + List.of(names), type -> List.of(names).contains(type.getName()));
    }

    static DescribedPredicate<JavaCall<?>> calls(Class<?> owner, String methods) {
        return DescribedPredicate.describe(
                owner.getSimpleName() + "." + methods + " is called",
                call -> call.getTargetOwner().isEquivalentTo(owner)
                        && call.getName().matches(methods));
    }
}
