// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.OnlyIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.concurrent.locks.LockSupport;

/// What tests may do. Sees the tests of this module and the test kit; the other modules' are not on its class path,
/// so [SourceTreeTest] looks at their text.
@AnalyzeClasses(packages = "io.fathom", importOptions = OnlyIncludeTests.class)
class TestHabitsTest {
    @ArchTest
    static final ArchRule testsWaitForConditions = noClasses()
            .should()
            .callMethodWhere(ArchitectureTest.calls(Thread.class, "sleep"))
            .because("a test that sleeps is slow or flaky: use Awaitility or a latch");

    @ArchTest
    static final ArchRule testsDoNotParkEither = noClasses()
            .that()
            .resideOutsideOfPackage("io.fathom.verify.bench..") // puts load on at a steady pace of real time
            .should()
            .callMethodWhere(ArchitectureTest.calls(LockSupport.class, "parkNanos|parkUntil"))
            .because("that is sleeping by another name");

    @ArchTest
    static final ArchRule testsUseNoMocks =
            noClasses().should().dependOnClassesThat().resideInAnyPackage("org.mockito..", "org.easymock..");
}
