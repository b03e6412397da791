// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Value;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NodeDescriptionTest {
    @Test
    void givenMetadata_thenItIsInTheNode() {
        var node = new NodeDescription(
                        Optional.empty(), "z", "ns", Optional.of("n1"), Map.of("CLUSTER_ID", "c1"), Map.of())
                .message();
        assertThat(node.getId()).isEqualTo("ztunnel~1.1.1.1~z.ns~ns.svc.cluster.local");
        var fields = node.getMetadata().getFieldsMap();
        assertThat(fields).containsOnlyKeys("NAME", "NAMESPACE", "INSTANCE_IPS", "NODE_NAME", "CLUSTER_ID");
        assertThat(fields.get("NODE_NAME")).isEqualTo(MetadataJson.text("n1"));
    }

    @Test
    void givenJsonMetadata_thenEveryKindOfValueIsKept_case78() {
        assertThat(MetadataJson.parse("\"x\"")).isEqualTo(MetadataJson.text("x"));
        assertThat(MetadataJson.parse("1.5").getNumberValue()).isEqualTo(1.5);
        assertThat(MetadataJson.parse("7").getNumberValue()).isEqualTo(7);
        assertThat(MetadataJson.parse("true").getBoolValue()).isTrue();
        assertThat(MetadataJson.parse("null").getKindCase()).isEqualTo(Value.KindCase.NULL_VALUE);
        assertThat(MetadataJson.parse("[1, \"a\"]").getListValue().getValuesList())
                .extracting(Value::getKindCase)
                .containsExactly(Value.KindCase.NUMBER_VALUE, Value.KindCase.STRING_VALUE);
        var object = MetadataJson.parse("{\"a\": {\"b\": [false]}}").getStructValue();
        assertThat(object.getFieldsOrThrow("a")
                        .getStructValue()
                        .getFieldsOrThrow("b")
                        .getListValue()
                        .getValues(0)
                        .getBoolValue())
                .isFalse();
        assertThat(MetadataJson.parse("not json")).isEqualTo(MetadataJson.text("not json"));
        assertThat(MetadataJson.parse("1 2")).isEqualTo(MetadataJson.text("1 2"));
        assertThat(MetadataJson.parse("")).isEqualTo(MetadataJson.text(""));
    }
}
