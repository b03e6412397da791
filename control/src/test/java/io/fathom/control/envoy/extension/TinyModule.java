// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import java.util.HexFormat;

/// A WebAssembly module that answers every request with 418, written by hand.
final class TinyModule {
    static final byte[] BYTES = HexFormat.of()
            .parseHex(
                    "0061736d01000000" // magic number and version
                            + "0121" + "05" // five types of functions
                            + "600000" // 0: nothing to nothing
                            + "60017f017f" // 1: a number to a number
                            + "60037f7f7f017f" // 2: three numbers to one
                            + "60087f7f7f7f7f7f7f7f017f" // 3: eight numbers to one
                            + "60027f7f00" // 4: two numbers to nothing
                            + "0221" + "01" // one import: function 0
                            + "03" + text("env")
                            + "19" + text("proxy_send_local_response")
                            + "0003"
                            + "0305" + "04" + "00010204" // functions 1 to 4 and their types
                            + "0503" + "01" + "0001" // a page of memory
                            + "0774" + "05" // five exports
                            + "06" + text("memory") + "0200"
                            + "17" + text("proxy_abi_version_0_2_1") + "0001"
                            + "18" + text("proxy_on_memory_allocate") + "0002"
                            + "18" + text("proxy_on_request_headers") + "0003"
                            + "17" + text("proxy_on_context_create") + "0004"
                            + "0a26" + "04" // four bodies
                            + "02" + "00" + "0b" // of 1: nothing
                            + "05" + "00" + "4180080b" // of 2: always address 1024
                            + "18" + "00" // of 3: answer 418 and stop
                            + "41a203" + "4100".repeat(6) + "417f" + "1000" + "1a" + "4101" + "0b"
                            + "02" + "00" + "0b" // of 4: nothing
                    );

    private TinyModule() {}

    private static String text(String name) {
        return HexFormat.of().formatHex(name.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }
}
