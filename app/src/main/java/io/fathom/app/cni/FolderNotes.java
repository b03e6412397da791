// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.node.cni.enrol.PodName;
import io.fathom.node.cni.enrol.RedirectionNotes;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.wire.kube.folder.ObjectFiles;
import io.fathom.wire.kube.folder.ObjectName;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes annotations into the files of pods, where programs keep them one to a file. Files that people write are left
/// alone.
final class FolderNotes implements RedirectionNotes {
    private static final Logger log = LoggerFactory.getLogger(FolderNotes.class);

    private final List<ObjectFiles> folders;

    FolderNotes(List<Path> folders) {
        this.folders = folders.stream().map(ObjectFiles::in).toList();
    }

    @Override
    public void write(PodName pod, Redirection redirection) {
        var patch = RedirectionPatch.of(pod, redirection);
        for (var folder : folders) {
            switch (folder.patch(new ObjectName("Pod", pod.namespace(), pod.name()), patch)) {
                case DONE, NO_CHANGE, ANOTHER_UID -> {
                    return;
                }
                case ABSENT -> {}
            }
        }
        log.atDebug().addKeyValue("pod", pod).log("no file of this pod to annotate");
    }
}
