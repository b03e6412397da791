// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import io.fathom.node.telemetry.AccessEntry.Complete;
import io.fathom.node.telemetry.AccessEntry.Failed;
import io.fathom.node.telemetry.AccessEntry.Opened;
import java.util.Locale;

/// How a line of the access log looks: upstream's keys in upstream's order, then `policy`.
public enum AccessFormat {
    PLAIN {
        @Override
        void begin(StringBuilder line, AccessEntry entry, TimeText time) {
            time.write(line, entry.time());
            line.append('\t')
                    .append(entry.level().name().toLowerCase(Locale.ROOT))
                    .append("\taccess\t")
                    .append(entry.message())
                    .append('\t');
        }

        @Override
        void key(StringBuilder line, String key) {
            if (line.charAt(line.length() - 1) != '\t') {
                line.append(' ');
            }
            line.append(key).append('=');
        }

        @Override
        void address(StringBuilder line, String key, String value) {
            key(line, key);
            line.append(value);
        }

        @Override
        void end(StringBuilder line) {
            line.append('\n');
        }
    },
    JSON {
        @Override
        void begin(StringBuilder line, AccessEntry entry, TimeText time) {
            line.append("{\"level\":\"")
                    .append(entry.level().name().toLowerCase(Locale.ROOT))
                    .append("\",\"time\":\"");
            time.write(line, entry.time());
            line.append("\",\"scope\":\"access\",\"message\":\"")
                    .append(entry.message())
                    .append('"');
        }

        @Override
        void key(StringBuilder line, String key) {
            line.append(",\"").append(key).append("\":");
        }

        @Override
        void address(StringBuilder line, String key, String value) {
            text(line, key, value);
        }

        @Override
        void end(StringBuilder line) {
            line.append("}\n");
        }
    };

    abstract void begin(StringBuilder line, AccessEntry entry, TimeText time);

    abstract void key(StringBuilder line, String key);

    /// Plain lines have addresses without quotes.
    abstract void address(StringBuilder line, String key, String value);

    abstract void end(StringBuilder line);

    void write(StringBuilder line, AccessEntry entry, TimeText time) {
        begin(line, entry, time);
        switch (entry) {
            case Opened opened -> facts(line, opened.facts());
            case Complete complete -> complete(line, complete);
            case Failed failed -> failed(line, failed);
        }
        end(line);
    }

    private void complete(StringBuilder line, Complete complete) {
        facts(line, complete.facts());
        number(line, "bytes_sent", complete.sent());
        number(line, "bytes_recv", complete.received());
        text(line, "duration", complete.millis() + "ms");
        complete.error().ifPresent(error -> text(line, "error", error));
        complete.facts().policy().ifPresent(policy -> text(line, "policy", policy));
    }

    private void failed(StringBuilder line, Failed failed) {
        address(line, "src.addr", failed.source().toString());
        failed.destination().ifPresent(destination -> address(line, "dst.addr", destination.toString()));
        text(line, "direction", failed.reporter().direction());
        text(line, "error", failed.error());
    }

    private void facts(StringBuilder line, ConnectionFacts facts) {
        address(line, "src.addr", facts.sourceAddress().toString());
        party(line, "src", facts.source());
        address(line, "dst.addr", facts.destinationAddress().toString());
        facts.tunnelTarget().ifPresent(target -> address(line, "dst.hbone_addr", target));
        known(line, "dst.service", facts.service().hostname());
        party(line, "dst", facts.destination());
        text(line, "direction", facts.reporter().direction());
    }

    private void party(StringBuilder line, String end, Party party) {
        known(line, end + ".workload", party.name());
        known(line, end + ".namespace", party.namespace());
        party.identity().ifPresent(identity -> text(line, end + ".identity", identity.uri()));
        known(line, end + ".cluster", party.cluster());
    }

    private void known(StringBuilder line, String key, String value) {
        if (!value.isEmpty()) {
            text(line, key, value);
        }
    }

    private void number(StringBuilder line, String key, long value) {
        key(line, key);
        line.append(value);
    }

    /// Escaped the same way in both: what peers send cannot end the line or the quotes.
    void text(StringBuilder line, String key, String value) {
        key(line, key);
        line.append('"');
        for (int i = 0; i < value.length(); i++) {
            var c = value.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if (c < ' ' || c == 0x7f) {
                line.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 0xf, 16));
            } else {
                line.append(c);
            }
        }
        line.append('"');
    }
}
