// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

/// Why a connection is not carried. Each has one sentence that tells an operator what to look at.
public enum Refusal {
    RECURSIVE_CALL("attempted recursive call to ourselves"),
    WAYPOINT_UNKNOWN("the waypoint of the destination is not known: is its Gateway deployed?"),
    WAYPOINT_WITHOUT_ENDPOINT("the waypoint of the destination has no healthy endpoint"),
    WAYPOINT_ON_OTHER_NETWORK("the waypoint of the workload is on another network"),
    NO_HEALTHY_ENDPOINT("no healthy upstream"),
    NO_SUCH_PORT("no healthy upstream: the service has no such port"),
    NO_ADDRESS("the endpoint has no address that the client can use"),
    NO_NETWORK_GATEWAY("the endpoint is on another network and has no gateway"),
    NETWORK_GATEWAY_UNKNOWN("the gateway of the other network is not known"),
    NETWORK_GATEWAY_WITHOUT_ENDPOINT("the gateway of the other network has no healthy endpoint");

    private final String message;

    Refusal(String message) {
        this.message = message;
    }

    public String message() {
        return message;
    }
}
