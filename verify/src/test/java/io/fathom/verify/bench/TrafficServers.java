// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.awaitility.Awaitility;

/// Real servers inside pods: iperf3 for bulk, nginx for small requests. They end with the lab.
final class TrafficServers {
    static final int BULK_PORT = 5201;
    static final int HTTP_PORT = 8080;

    private TrafficServers() {}

    static void start(MeshLab lab, LabPod pod) throws IOException {
        var folder = lab.folder("nginx-" + pod.name());
        var config = Files.writeString(folder.resolve("nginx.conf"), nginx(folder));
        lab.run(pod, "nginx-" + pod.name(), List.of("nginx", "-c", config.toString()));
        lab.run(pod, "iperf3-" + pod.name(), List.of("iperf3", "-s", "-p", Integer.toString(BULK_PORT)));
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
}
