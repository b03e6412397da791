// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

/// What makes two connections count together.
record TrafficLabels(
        Reporter reporter, Party source, Party destination, Called service, ResponseFlag flag, Security security) {

    /// Where connections are counted when there are more kinds of them than we keep apart.
    static TrafficLabels other(Reporter reporter, ResponseFlag flag) {
        return new TrafficLabels(reporter, Party.UNKNOWN, Party.UNKNOWN, Called.UNKNOWN, flag, Security.UNKNOWN);
    }

    /// As it stands between the braces.
    String text() {
        var text = new LabelText().with("reporter", reporter.label());
        party(text, "source", source);
        text.known("destination_service", service.hostname())
                .known("destination_service_namespace", service.namespace())
                .known("destination_service_name", service.name());
        party(text, "destination", destination);
        text.with("request_protocol", "tcp")
                .with("response_flags", flag.label())
                .with("connection_security_policy", security.label());
        if (source.hasLocality() || destination.hasLocality()) {
            text.known("source_region", source.region())
                    .known("source_zone", source.zone())
                    .known("destination_region", destination.region())
                    .known("destination_zone", destination.zone());
        }
        return text.toString();
    }

    private static void party(LabelText text, String end, Party party) {
        text.known(end + "_workload", party.workload())
                .known(end + "_canonical_service", party.canonicalName())
                .known(end + "_canonical_revision", party.canonicalRevision())
                .known(end + "_workload_namespace", party.namespace())
                .known(
                        end + "_principal",
                        party.identity().map(identity -> identity.uri()).orElse(""))
                .known(end + "_app", party.canonicalName())
                .known(end + "_version", party.canonicalRevision())
                .known(end + "_cluster", party.cluster());
    }
}
