// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.tree.Json;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrategicMergeTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            maps merge, null deletes | {"a":{"b":1,"c":2}} | {"a":{"b":null,"d":3}} | {"a":{"c":2,"d":3}}
            scalars replace | {"a":1} | {"a":"x"} | {"a":"x"}
            plain lists replace | {"args":["a","b"]} | {"args":["c"]} | {"args":["c"]}
            named items merge | {"containers":[{"name":"p","image":"i","env":[{"name":"A","value":"1"}]}]} | {"containers":[{"name":"p","env":[{"name":"B","value":"2"}]}]} | {"containers":[{"name":"p","image":"i","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}]}
            new items are added | {"env":[{"name":"A","value":"1"}]} | {"env":[{"name":"B","value":"2"}]} | {"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}
            items are deleted | {"env":[{"name":"A"},{"name":"B"}]} | {"env":[{"name":"A","$patch":"delete"}]} | {"env":[{"name":"B"}]}
            deleting what is not there | {"env":[{"name":"B"}]} | {"env":[{"name":"A","$patch":"delete"}]} | {"env":[{"name":"B"}]}
            a whole list is replaced | {"env":[{"name":"A"},{"name":"B"}]} | {"env":[{"$patch":"replace"},{"name":"C"}]} | {"env":[{"name":"C"}]}
            a map is replaced | {"a":{"b":1,"c":2}} | {"a":{"$patch":"replace","d":3}} | {"a":{"d":3}}
            a map is deleted | {"a":{"b":1},"c":2} | {"a":{"$patch":"delete"}} | {"c":2}
            container ports by number | {"ports":[{"containerPort":80,"name":"a"}]} | {"ports":[{"containerPort":80,"name":"b"}]} | {"ports":[{"containerPort":80,"name":"b"}]}
            service ports by number | {"ports":[{"port":80,"name":"a"}]} | {"ports":[{"port":80,"nodePort":30080}]} | {"ports":[{"port":80,"name":"a","nodePort":30080}]}
            ports by name if that is all | {"ports":[{"port":80,"name":"a"}]} | {"ports":[{"name":"a","nodePort":30080}]} | {"ports":[{"port":80,"name":"a","nodePort":30080}]}
            mounts by path | {"volumeMounts":[{"mountPath":"/a","name":"x"}]} | {"volumeMounts":[{"mountPath":"/a","readOnly":true}]} | {"volumeMounts":[{"mountPath":"/a","name":"x","readOnly":true}]}
            values leave a list | {"finalizers":["a","b"]} | {"$deleteFromPrimitiveList/finalizers":["a"]} | {"finalizers":["b"]}
            order is not looked at | {"env":[{"name":"A"}]} | {"$setElementOrder/env":[{"name":"A"}],"env":[{"name":"A","value":"1"}]} | {"env":[{"name":"A","value":"1"}]}
            kept fields | {"strategy":{"type":"RollingUpdate","rollingUpdate":{"a":1}}} | {"strategy":{"$retainKeys":["type"],"type":"Recreate"}} | {"strategy":{"type":"Recreate"}}
            directives vanish from what is new | {} | {"a":{"$patch":"replace","b":{"c":null,"d":1}}} | {"a":{"b":{"d":1}}}
            """)
    void whenMerged(String situation, String target, String patch, String want) {
        var merged = StrategicMerge.apply(Json.parse("target", target), Json.parse("patch", patch));

        assertThat(Json.compact(merged)).isEqualTo(want);
    }
}
