// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.StringMatch;
import java.io.IOException;
import java.util.List;

/// One policy of a dump: rules are lists of clauses, clauses lists of matches.
final class PolicyDump {
    private final JsonGenerator out;

    PolicyDump(JsonGenerator out) {
        this.out = out;
    }

    void write(Authorization it) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", it.name());
        out.writeStringField("namespace", it.namespace());
        out.writeStringField("scope", DumpSpelling.of(it.scope()));
        out.writeStringField("action", DumpSpelling.of(it.action()));
        out.writeArrayFieldStart("rules");
        for (var group : it.groups()) {
            out.writeStartArray();
            for (var rules : group.rules()) {
                out.writeStartArray();
                for (var match : rules.matches()) {
                    match(match);
                }
                out.writeEndArray();
            }
            out.writeEndArray();
        }
        out.writeEndArray();
        if (it.dryRun() == Authorization.DryRun.YES) {
            out.writeBooleanField("dryRun", true);
        }
        out.writeEndObject();
    }

    private void match(Authorization.Match it) throws IOException {
        out.writeStartObject();
        strings("namespaces", it.namespaces());
        strings("notNamespaces", it.notNamespaces());
        strings("principals", it.principals());
        strings("notPrincipals", it.notPrincipals());
        blocks("sourceIps", it.sourceIps());
        blocks("notSourceIps", it.notSourceIps());
        blocks("destinationIps", it.destinationIps());
        blocks("notDestinationIps", it.notDestinationIps());
        ports("destinationPorts", it.destinationPorts());
        ports("notDestinationPorts", it.notDestinationPorts());
        accounts("serviceAccounts", it.serviceAccounts());
        accounts("notServiceAccounts", it.notServiceAccounts());
        out.writeEndObject();
    }

    private void strings(String field, List<StringMatch> matches) throws IOException {
        if (matches.isEmpty()) {
            return;
        }
        out.writeArrayFieldStart(field);
        for (var match : matches) {
            out.writeStartObject();
            switch (match) {
                case StringMatch.Exact(var value) -> out.writeStringField("Exact", value);
                case StringMatch.Prefix(var value) -> out.writeStringField("Prefix", value);
                case StringMatch.Suffix(var value) -> out.writeStringField("Suffix", value);
                case StringMatch.Presence() -> {
                    out.writeArrayFieldStart("Presence");
                    out.writeEndArray();
                }
            }
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private void blocks(String field, List<IpBlock> blocks) throws IOException {
        if (blocks.isEmpty()) {
            return;
        }
        out.writeArrayFieldStart(field);
        for (var block : blocks) {
            out.writeString(block.toString());
        }
        out.writeEndArray();
    }

    private void ports(String field, List<Integer> ports) throws IOException {
        if (ports.isEmpty()) {
            return;
        }
        out.writeArrayFieldStart(field);
        for (var port : ports) {
            out.writeNumber(port);
        }
        out.writeEndArray();
    }

    private void accounts(String field, List<Authorization.ServiceAccount> accounts) throws IOException {
        if (accounts.isEmpty()) {
            return;
        }
        out.writeArrayFieldStart(field);
        for (var account : accounts) {
            out.writeStartObject();
            out.writeStringField("namespace", account.namespace());
            out.writeStringField("serviceAccount", account.name());
            out.writeEndObject();
        }
        out.writeEndArray();
    }
}
