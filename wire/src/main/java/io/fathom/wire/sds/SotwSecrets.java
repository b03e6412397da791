// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.sds;

import io.fathom.wire.http2.GrpcService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One state-of-the-world stream: each answer has all secrets that the client asked for and that there are. Nothing is
/// sent twice, also not after the client refused it. Any thread.
final class SotwSecrets implements SecretStream {
    private static final Logger log = LoggerFactory.getLogger(SotwSecrets.class);

    private final GrpcService.Answers answers;
    private Secrets secrets = Secrets.NONE;
    private Set<String> wanted = Set.of();
    private long sentVersion;
    private int sentCount;
    private long nonce;

    SotwSecrets(GrpcService.Answers answers) {
        this.answers = answers;
    }

    @Override
    public synchronized void message(byte[] message) throws IOException {
        var request = SecretCodec.request(message);
        if (!request.error().isEmpty()) {
            log.atWarn()
                    .addKeyValue("secrets", request.names())
                    .addKeyValue("reason", request.error())
                    .log("Envoy does not take a secret");
        }
        var names = Set.copyOf(request.names());
        if (!names.equals(wanted)) {
            wanted = names;
            sentCount = 0; // an answer is due even if it brings nothing newer
            send();
        }
    }

    @Override
    public synchronized void offer(Secrets newer) {
        secrets = newer;
        send();
    }

    private void send() {
        var found = new ArrayList<byte[]>();
        var version = 0L;
        for (var name : wanted.stream().sorted().toList()) {
            var secret = secrets.secret(name);
            if (secret.isPresent()) {
                found.add(secret.get().secret());
                version = Math.max(version, secret.get().version());
            }
        }
        if (!found.isEmpty() && (version > sentVersion || found.size() > sentCount)) {
            sentVersion = version;
            sentCount = found.size();
            nonce++;
            answers.send(SecretCodec.response(String.valueOf(version), String.valueOf(nonce), List.copyOf(found)));
        }
    }
}
