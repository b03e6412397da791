// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.node.dns.ResolvConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The name servers of the machine, read again when the file changes. Any thread.
final class ResolverFile implements Supplier<ResolvConf> {
    private static final Logger log = LoggerFactory.getLogger(ResolverFile.class);

    private final Path file;
    private volatile Content content = new Content(FileTime.fromMillis(0), new ResolvConf(List.of(), List.of()));

    private record Content(FileTime changed, ResolvConf servers) {}

    ResolverFile(Path file) {
        this.file = file;
    }

    @Override
    public ResolvConf get() {
        try {
            var changed = Files.getLastModifiedTime(file);
            if (!changed.equals(content.changed)) {
                content = new Content(changed, ResolvConf.parse(Files.readString(file)));
            }
        } catch (IOException e) {
            log.atDebug().addKeyValue("file", file).addKeyValue("reason", e).log("name servers stay as they were");
        }
        return content.servers;
    }
}
