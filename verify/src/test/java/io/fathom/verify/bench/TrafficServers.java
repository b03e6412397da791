package io.fathom.verify.bench;

import io.fathom.verify.lab.LabPod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/// Real servers inside pods: iperf3 for bulk, nginx for small requests.
final class TrafficServers implements AutoCloseable {
    static final int BULK_PORT = 5201;
    static final int HTTP_PORT = 8080;
    private final List<Process> processes = new ArrayList<>();

    void startIn(LabPod pod) throws IOException {
        var folder = Files.createTempDirectory("fathom-nginx");
        var config = Files.writeString(folder.resolve("nginx.conf"), nginx(folder));
        start(pod, folder, "nginx", "-c", config.toString());
        start(pod, folder, "iperf3", "-s", "-p", Integer.toString(BULK_PORT));
        Awaitility.await().until(() -> {
            var listening = pod.namespace().run("ss", "-ltn");
            return listening.contains(":" + HTTP_PORT) && listening.contains(":" + BULK_PORT);
        });
    }

    private static String nginx(Path folder) {
        return """
            daemon off;
            worker_processes 1;
            pid %1$s/nginx.pid;
            error_log /dev/null;
            events { worker_connections 4096; }
            http {
              access_log off;
              keepalive_requests 1000000000;
              client_body_temp_path %1$s; proxy_temp_path %1$s; fastcgi_temp_path %1$s;
              uwsgi_temp_path %1$s; scgi_temp_path %1$s;
              server { listen %2$d backlog=4096; location / { return 200 "hello from the server\\n"; } }
            }
            """.formatted(folder, HTTP_PORT);
    }

    private void start(LabPod pod, Path folder, String... command) throws IOException {
        var line =
                new ArrayList<>(List.of("ip", "netns", "exec", pod.namespace().name()));
        line.addAll(List.of(command));
        processes.add(new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(command[0] + ".log").toFile())
                .start());
    }

    @Override
    public void close() {
        processes.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }
}
