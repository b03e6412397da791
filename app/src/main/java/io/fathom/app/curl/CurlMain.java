// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.curl;

import java.util.Arrays;

/// Starts [Curl]. A script whose first line names the JVM passes its own path first, as the kernel does.
public final class CurlMain {
    private CurlMain() {}

    public static void main(String[] args) {
        System.exit(new Curl(System.out, System.err).run(Arrays.copyOfRange(args, 1, args.length)));
    }
}
