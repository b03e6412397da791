// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.node.telemetry.NodeMetrics;
import io.fathom.wire.xds.client.XdsClientObserver;

/// Counts what the xDS client does.
record XdsCounts(NodeMetrics metrics) implements XdsClientObserver {
    @Override
    public void terminated(Termination reason) {
        metrics.xdsEnded(
                switch (reason) {
                    case CONNECTION_ERROR -> NodeMetrics.XdsEnd.CONNECTION_ERROR;
                    case ERROR -> NodeMetrics.XdsEnd.ERROR;
                    case RECONNECT -> NodeMetrics.XdsEnd.RECONNECT;
                    case COMPLETE -> NodeMetrics.XdsEnd.COMPLETE;
                });
    }

    @Override
    public void received(String typeUrl, int bytes) {
        metrics.xdsReceived(typeUrl, bytes);
    }
}
