// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.client;

import java.util.Arrays;

/// The two types of the Workload API.
public enum ResourceType {
    ADDRESS(ResourceType.ADDRESS_URL),
    AUTHORIZATION(ResourceType.AUTHORIZATION_URL);

    static final String ADDRESS_URL = "type.googleapis.com/istio.workload.Address";
    static final String AUTHORIZATION_URL = "type.googleapis.com/istio.security.Authorization";

    private final String url;

    ResourceType(String url) {
        this.url = url;
    }

    public String url() {
        return url;
    }

    static ResourceType of(String url) {
        return Arrays.stream(values())
                .filter(type -> type.url.equals(url))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("not a type of the Workload API: " + url));
    }
}
