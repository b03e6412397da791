// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.http.Page;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/// `GET /debug/pprof/heap`: how many objects of each class are alive, and how large they are. A whole heap would
/// contain private keys, so it cannot be had here. Takes a full collection, during which traffic waits.
final class HeapPage implements Page {
    @Override
    public Reply reply(Query query) {
        try {
            var histogram = ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
            return Reply.text(String.valueOf(histogram));
        } catch (JMException e) {
            return Reply.text(503, "this Java cannot tell: " + e.getMessage());
        }
    }
}
