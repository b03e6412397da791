// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.awaitility.Awaitility;

/// A small HTTP server inside a pod: it says hello, with the address of its client.
final class WebServer implements AutoCloseable {
    private static final int PORT = 8080;
    private static final String PROGRAM = """
            import http.server, sys, time
            class Hello(http.server.BaseHTTPRequestHandler):
                protocol_version = 'HTTP/1.1'
                def do_GET(self):
                    if self.path == '/slow':
                        self.send_response(200)
                        self.end_headers()
                        while True:
                            self.wfile.write(b'.')
                            time.sleep(0.1)
                    text = self.client_address[0] if self.path == '/who' else 'hello from ' + sys.argv[1]
                    self.send_response(200)
                    self.send_header('Content-Length', str(len(text)))
                    self.end_headers()
                    self.wfile.write(text.encode())
                def log_message(self, *_): pass
            http.server.ThreadingHTTPServer(('', %d), Hello).serve_forever()
            """.formatted(PORT);

    private final Process process;
    private final LabPod pod;

    private WebServer(Process process, LabPod pod) {
        this.process = process;
        this.pod = pod;
    }

    static WebServer in(MeshLab lab, LabPod pod) {
        var process = lab.run(pod, "web-" + pod.name(), List.of("python3", "-c", PROGRAM, pod.name()));
        Awaitility.await().until(() -> pod.namespace().run("ss", "-ltn").contains(":" + PORT));
        return new WebServer(process, pod);
    }

    /// What a client in another pod gets; fails if it gets nothing.
    String ask(LabPod client, String path) {
        return ask(client, pod.ip() + ":" + PORT, path);
    }

    static String ask(LabPod client, String address, String path) {
        return client.namespace().run("curl", "-sS", "--max-time", "10", "http://" + address + path);
    }

    /// An answer that goes on and on, in the background.
    Process listen(LabPod client) {
        try {
            return new ProcessBuilder("ip", "netns", "exec", client.namespace().name(), "curl", "-sSN", url("/slow"))
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url(String path) {
        return "http://" + pod.ip() + ":" + PORT + path;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
