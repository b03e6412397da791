// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.curl;

import io.fathom.app.curl.CurlOptions.Misuse;
import io.fathom.app.curl.CurlOptions.Mode;
import io.fathom.wire.http.HttpAnswer;
import io.fathom.wire.http.HttpCall;
import io.fathom.wire.http.HttpLink;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// Asks over plain HTTP/1.1 and prints the answers, on the caller's thread.
///
/// Exit codes are curl's: 0; 1 protocol, 2 usage, 3 URL, 7 nobody listens, 22 an HTTP error with `-f`, 23 cannot write,
/// 28 too late, 56 a broken answer.
record Curl(PrintStream out, PrintStream err) {
    private static final List<InetAddress> LOOPBACK =
            List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));
    private static final int HTTP_PORT = 80;

    int run(String... args) {
        try {
            var options = CurlOptions.parse(args);
            var code = 0;
            for (var target : options.targets()) {
                code = ask(target, options);
            }
            return code;
        } catch (Misuse e) {
            err.println("curl: " + e.getMessage());
            return e.code();
        }
    }

    private int ask(URI target, CurlOptions options) {
        var port = target.getPort() < 0 ? HTTP_PORT : target.getPort();
        try (var socket = connect(target.getHost(), port, options)) {
            return ask(target, options, socket);
        } catch (SocketTimeoutException e) {
            return late(options);
        } catch (IOException e) {
            return fail(options, 7, "cannot connect to " + target.getHost() + " port " + port + ": " + e.getMessage());
        }
    }

    /// Names come from the machine, except for the one that needs no asking.
    private static Socket connect(String host, int port, CurlOptions options) throws IOException {
        var addresses = host.equals("localhost")
                ? LOOPBACK.stream()
                        .map(address -> new InetSocketAddress(address, port))
                        .toList()
                : List.of(new InetSocketAddress(host.replaceAll("[\\[\\]]", ""), port));
        var failure = new IOException("no such host");
        for (var address : addresses) {
            var socket = new Socket();
            try {
                socket.connect(address, (int) options.patience().toMillis());
                return socket;
            } catch (UnknownHostException e) {
                close(socket);
            } catch (IOException e) {
                close(socket);
                failure = e;
            }
        }
        throw failure;
    }

    private int ask(URI target, CurlOptions options, Socket socket) {
        var isLate = new AtomicBoolean();
        var deadline =
                new CompletableFuture<Void>().orTimeout(options.patience().toMillis(), TimeUnit.MILLISECONDS);
        var _ = deadline.whenComplete((_, late) -> {
            if (late != null) {
                isLate.set(true);
                close(socket); // ends the call that waits
            }
        });
        try {
            var link = new HttpLink(socket.getInputStream(), socket.getOutputStream(), socket);
            var answer = link.call(call(target, options));
            return options.modes().contains(Mode.FAIL) && answer.status() >= 400
                    ? fail(options, 22, "the requested URL returned error: " + answer.status())
                    : write(answer, options);
        } catch (IOException e) {
            return isLate.get() ? late(options) : fail(options, 56, "the answer broke off: " + e.getMessage());
        } finally {
            deadline.complete(null);
        }
    }

    private int late(CurlOptions options) {
        return fail(options, 28, "no answer within " + options.patience().toMillis() + " ms");
    }

    private static HttpCall call(URI target, CurlOptions options) {
        var path = target.getRawPath().isEmpty() ? "/" : target.getRawPath();
        var query = target.getRawQuery() == null ? "" : "?" + target.getRawQuery();
        var headers = new HashMap<>(options.headers());
        headers.put("connection", "close");
        headers.putIfAbsent("accept", "*/*");
        headers.putIfAbsent("user-agent", "curl (fathom)");
        return new HttpCall(
                options.method().orElse(options.body().isPresent() ? "POST" : "GET"),
                path + query,
                target.getRawAuthority(),
                headers,
                options.body().orElse(""));
    }

    private int write(HttpAnswer answer, CurlOptions options) throws IOException {
        if (options.output().isEmpty()) {
            var _ = answer.body().transferTo(out);
            out.flush();
            return 0;
        }
        OutputStream file;
        try {
            file = Files.newOutputStream(Path.of(options.output().get()));
        } catch (IOException e) {
            return fail(options, 23, "cannot write " + options.output().get());
        }
        try (file) {
            var _ = answer.body().transferTo(file);
        }
        return 0;
    }

    private int fail(CurlOptions options, int code, String message) {
        if (!options.modes().contains(Mode.SILENT) || options.modes().contains(Mode.SHOW_ERROR)) {
            err.println("curl: (" + code + ") " + message);
        }
        return code;
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // nothing is lost
        }
    }
}
