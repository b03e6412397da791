// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import com.google.protobuf.Any;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.core.v3.SubstitutionFormatString;
import io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig;
import io.envoyproxy.envoy.extensions.formatter.metadata.v3.Metadata;
import io.envoyproxy.envoy.extensions.formatter.req_without_query.v3.ReqWithoutQuery;
import io.fathom.control.envoy.view.JsonStruct;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.EmptyValues;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.LogFormat;

/// How lines of access logs look. The defaults have the fields, names and order that tools expect of Istio.
final class LogFormats {
    static final String TEXT = "[%START_TIME%] \"%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%\" "
            + "%RESPONSE_CODE% %RESPONSE_FLAGS% %RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% "
            + "\"%UPSTREAM_TRANSPORT_FAILURE_REASON%\" %BYTES_RECEIVED% %BYTES_SENT% %DURATION% "
            + "%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% \"%REQ(X-FORWARDED-FOR)%\" \"%REQ(USER-AGENT)%\" "
            + "\"%REQ(X-REQUEST-ID)%\" \"%REQ(:AUTHORITY)%\" \"%UPSTREAM_HOST%\" %UPSTREAM_CLUSTER_RAW% "
            + "%UPSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% "
            + "%REQUESTED_SERVER_NAME% %ROUTE_NAME%\n";

    static final Struct LABELS = labels(
            "start_time", "%START_TIME%",
            "route_name", "%ROUTE_NAME%",
            "method", "%REQ(:METHOD)%",
            "path", "%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%",
            "protocol", "%PROTOCOL%",
            "response_code", "%RESPONSE_CODE%",
            "response_flags", "%RESPONSE_FLAGS%",
            "response_code_details", "%RESPONSE_CODE_DETAILS%",
            "connection_termination_details", "%CONNECTION_TERMINATION_DETAILS%",
            "upstream_transport_failure_reason", "%UPSTREAM_TRANSPORT_FAILURE_REASON%",
            "bytes_received", "%BYTES_RECEIVED%",
            "bytes_sent", "%BYTES_SENT%",
            "duration", "%DURATION%",
            "upstream_service_time", "%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%",
            "x_forwarded_for", "%REQ(X-FORWARDED-FOR)%",
            "user_agent", "%REQ(USER-AGENT)%",
            "request_id", "%REQ(X-REQUEST-ID)%",
            "authority", "%REQ(:AUTHORITY)%",
            "upstream_host", "%UPSTREAM_HOST%",
            "upstream_cluster", "%UPSTREAM_CLUSTER_RAW%",
            "upstream_local_address", "%UPSTREAM_LOCAL_ADDRESS%",
            "downstream_local_address", "%DOWNSTREAM_LOCAL_ADDRESS%",
            "downstream_remote_address", "%DOWNSTREAM_REMOTE_ADDRESS%",
            "requested_server_name", "%REQUESTED_SERVER_NAME%");

    private LogFormats() {}

    static SubstitutionFormatString of(LogFormat format, EmptyValues emptyValues) {
        if (!format.labels().isEmpty()) {
            return json(JsonStruct.of(format.labels()), format.labels(), emptyValues);
        }
        return text(format.text().isEmpty() ? TEXT : withLineEnd(format.text()), emptyValues);
    }

    static SubstitutionFormatString text(String text, EmptyValues emptyValues) {
        return formatters(text)
                .setTextFormatSource(DataSource.newBuilder().setInlineString(text))
                .setOmitEmptyValues(emptyValues == EmptyValues.OMIT)
                .build();
    }

    /// @param source where names of formatters are looked for
    static SubstitutionFormatString json(Struct labels, String source, EmptyValues emptyValues) {
        return formatters(source)
                .setJsonFormat(labels)
                .setOmitEmptyValues(emptyValues == EmptyValues.OMIT)
                .build();
    }

    static String withLineEnd(String text) {
        return text.endsWith("\n") ? text : text + "\n";
    }

    /// Operators that Envoy only knows when it is told.
    private static SubstitutionFormatString.Builder formatters(String source) {
        var format = SubstitutionFormatString.newBuilder();
        if (source.contains("%REQ_WITHOUT_QUERY(")) {
            format.addFormatters(TypedExtensionConfig.newBuilder()
                    .setName("envoy.formatter.req_without_query")
                    .setTypedConfig(Any.pack(ReqWithoutQuery.getDefaultInstance())));
        }
        if (source.contains("%METADATA(")) {
            format.addFormatters(TypedExtensionConfig.newBuilder()
                    .setName("envoy.formatter.metadata")
                    .setTypedConfig(Any.pack(Metadata.getDefaultInstance())));
        }
        return format;
    }

    private static Struct labels(String... pairs) {
        var labels = Struct.newBuilder();
        for (var i = 0; i < pairs.length; i += 2) {
            labels.putFields(
                    pairs[i], Value.newBuilder().setStringValue(pairs[i + 1]).build());
        }
        return labels.build();
    }
}
