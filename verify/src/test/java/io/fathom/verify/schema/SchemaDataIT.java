// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The schema data is what upstream's documents give.
@Tag("interop")
class SchemaDataIT {
    @Test
    void givenTheDefinitionsThatPeersAreBuiltWith_thenTheSchemaDataIsMadeOfThem() throws IOException {
        var root = Path.of("..").toAbsolutePath().normalize();
        var data = root.resolve("wire/src/main/resources/io/fathom/wire/kube/schema/schema.txt");
        var made = SchemaMaker.make(
                StockProgram.requireDefinitions(),
                StockProgram.requireSchemas(),
                root.resolve("verify/schema/additions.txt"));
        if ("write".equals(System.getProperty("fathom.golden"))) {
            Files.writeString(data, made);
        }
        assertThat(made).as("run verify/schema/make").isEqualTo(Files.readString(data));
    }
}
