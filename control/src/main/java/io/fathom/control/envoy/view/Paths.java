// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.PathWithEscapedSlashesAction;
import io.fathom.wire.kube.meshconfig.MeshTraffic.PathNormalization;

/// What proxies make of paths before policies and routes compare them. Pure.
public final class Paths {
    private Paths() {}

    public static void write(PathNormalization wanted, HttpConnectionManager.Builder manager) {
        manager.setNormalizePath(BoolValue.of(wanted != PathNormalization.NONE));
        switch (wanted) {
            case NONE, BASE -> {}
            case MERGE_SLASHES -> manager.setMergeSlashes(true);
            case DECODE_AND_MERGE_SLASHES ->
                manager.setMergeSlashes(true)
                        .setPathWithEscapedSlashesAction(PathWithEscapedSlashesAction.UNESCAPE_AND_FORWARD);
        }
    }
}
