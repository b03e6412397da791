// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.sds;

import io.fathom.wire.http2.GrpcService;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One delta stream: each answer has the secrets that are newer than what was sent before. Any thread.
final class DeltaSecrets implements SecretStream {
    private static final Logger log = LoggerFactory.getLogger(DeltaSecrets.class);

    private final GrpcService.Answers answers;
    private final Map<String, Long> sent = new HashMap<>(); // by name of what is wanted; 0 if nothing was sent
    private Secrets secrets = Secrets.NONE;
    private long nonce;

    DeltaSecrets(GrpcService.Answers answers) {
        this.answers = answers;
    }

    @Override
    public synchronized void message(byte[] message) throws IOException {
        var request = SecretCodec.deltaRequest(message);
        if (!request.error().isEmpty()) {
            log.atWarn().addKeyValue("reason", request.error()).log("Envoy does not take a secret");
        }
        request.unsubscribe().forEach(sent::remove);
        request.subscribe().forEach(name -> sent.put(name, 0L));
        send();
    }

    @Override
    public synchronized void offer(Secrets newer) {
        secrets = newer;
        send();
    }

    private void send() {
        var found = new TreeMap<String, byte[]>();
        var versions = new HashMap<String, String>();
        sent.forEach((name, version) -> secrets.secret(name)
                .filter(secret -> secret.version() > version)
                .ifPresent(secret -> {
                    found.put(name, secret.secret());
                    versions.put(name, String.valueOf(secret.version()));
                }));
        if (!found.isEmpty()) {
            found.keySet().forEach(name -> sent.put(name, Long.parseLong(versions.getOrDefault(name, "0"))));
            nonce++;
            answers.send(SecretCodec.deltaResponse(String.valueOf(nonce), found, versions, List.of()));
        }
    }
}
