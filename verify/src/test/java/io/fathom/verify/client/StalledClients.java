// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.TestCommand.Result;
import java.util.List;
import java.util.function.Function;

/// 2,000 clients that open a port of a program and then stall, and somebody who asks the program for its readiness
/// meanwhile.
public final class StalledClients {
    /// The most that they may add to the median of what the answer takes without them, in milliseconds. A median,
    /// because on a busy machine single answers wait for a processor longer than that.
    private static final double MOST_ADDED = 100;

    /// Heads, bodies and handshakes that never end; a question after each 50, and as many before the first. Prints
    /// milliseconds: the slowest answer and the median, alone and beside the clients.
    private static final String SCRIPT = """
            import http.client, resource, socket, sys, time
            resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
            port, ready_port, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
            broken = [b"", b"G", b"GET " + path.encode() + b" HTTP/1.1\\r\\nX: ",
                      b"POST / HTTP/1.1\\r\\nContent-Length: 9\\r\\n\\r\\n", b"\\x16\\x03\\x01",
                      b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n"]
            def ask():
                begun = time.monotonic()
                ready = http.client.HTTPConnection("127.0.0.1", ready_port, timeout=20)
                ready.request("GET", path)
                answer = ready.getresponse()
                answer.read()
                if answer.status != 200: sys.exit("%s: %d" % (path, answer.status))
                ready.close()
                return (time.monotonic() - begun) * 1000
            alone = sorted(ask() for _ in range(40))
            held, beside = [], []
            for i in range(2000):
                client = socket.create_connection(("127.0.0.1", port), timeout=10)
                held.append(client)
                client.sendall(broken[i % len(broken)])
                if i % 50 == 49: beside.append(ask())
            beside.sort()
            print(alone[-1], alone[20], beside[-1], beside[20])
            """;

    /// In milliseconds.
    public record Answers(double slowestAlone, double medianAlone, double slowest, double median) {}

    private StalledClients() {}

    /// Runs them and checks that the program answers all the same.
    ///
    /// @param run starts a command where the ports are on loopback
    /// @param port that they open
    /// @param readyPort of the same program
    public static Answers besides(Function<List<String>, Result> run, int port, int readyPort, String path) {
        var printed = run.apply(List.of("python3", "-c", SCRIPT, "" + port, "" + readyPort, path))
                .expect("clients of port " + port);
        var all = printed.strip().split(" ", -1);
        var answers = new Answers(number(all[0]), number(all[1]), number(all[2]), number(all[3]));
        assertThat(answers.median()).as("port %d: %s", port, answers).isLessThan(answers.medianAlone() + MOST_ADDED);
        return answers;
    }

    private static double number(String text) {
        return Math.round(Double.parseDouble(text) * 10) / 10.0;
    }
}
