// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.schema;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.stream.Stream;

/// Writes the schema data that `wire/kube/schema` reads. The same input gives the same text.
final class SchemaMaker {
    private static final String HEAD = """
            # The kinds, fields, labels and annotations that manifests may have. Made by verify/schema/make; do not edit.
            # Read by io.fathom.wire.kube.schema.SchemaText, which explains the form.
            """;

    private SchemaMaker() {}

    /// @param definitions folder of custom resource definitions
    /// @param documents folder with Kubernetes' OpenAPI document and Istio's lists
    /// @param additions what these do not tell
    static String make(Path definitions, Path documents, Path additions) throws IOException {
        var types = new TypeTable();
        var added = Additions.read(additions);
        var openApi = documents.resolve("swagger.json");
        var document = Field.root(Json.parse(openApi.toString(), Files.readString(openApi)));
        var kinds = new ArrayList<>(new BuiltInKinds(document, added, types).read());
        var defined = new DefinedKinds(types);
        try (Stream<Path> files = Files.list(definitions)) {
            for (var file : files.filter(name -> name.toString().endsWith(".yaml"))
                    .sorted()
                    .toList()) {
                kinds.addAll(defined.read(file));
            }
        }
        added.learn("label", Files.readString(documents.resolve("labels.gen.go")));
        added.learn("annotation", Files.readString(documents.resolve("annotations.gen.go")));
        var text = new StringBuilder(HEAD);
        kinds.forEach(kind -> text.append(kind).append('\n'));
        added.marks().forEach(mark -> text.append(mark).append('\n'));
        types.write(text);
        return text.toString();
    }
}
