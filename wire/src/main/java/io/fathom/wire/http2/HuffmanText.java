// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// Reads text in the Huffman code of RFC 7541. The code is canonical: the lengths of the symbols tell all of it. Pure.
final class HuffmanText {
    /// For each byte the length of its code, as a digit of base 36.
    private static final String LENGTHS = ""
            + "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca"
            + "d67777777777777777777777878djde6f56565666577666567655677777fbeds"
            + "kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn"
            + "qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq";
    private static final int LONGEST = 30;

    /// Symbols in the order of their codes: by length, then by value.
    private static final byte[] SYMBOLS = new byte[LENGTHS.length()];
    /// How many symbols have a code of that length.
    private static final int[] COUNTS = new int[LONGEST + 1];

    static {
        var next = 0;
        for (int length = 1; length <= LONGEST; length++) {
            for (int symbol = 0; symbol < LENGTHS.length(); symbol++) {
                if (Character.digit(LENGTHS.charAt(symbol), 36) == length) {
                    SYMBOLS[next++] = (byte) symbol;
                    COUNTS[length]++;
                }
            }
        }
    }

    private HuffmanText() {}

    /// The last byte is filled up with ones.
    static String decode(byte[] bytes, int from, int to) throws IOException {
        var text = new ByteArrayOutputStream(2 * (to - from));
        var code = 0; // the bits since the last symbol
        var length = 0;
        var first = 0; // the first code of that length
        var index = 0; // of the symbol with that code
        var ones = true;
        for (int bit = 8 * from; bit < 8 * to; bit++) {
            var set = bytes[bit >>> 3] >>> (7 - (bit & 7)) & 1;
            ones &= set == 1;
            code = code << 1 | set;
            length++;
            first <<= 1;
            if (length > LONGEST) {
                throw new IOException("a header in no known code");
            }
            if (code - first < COUNTS[length]) {
                text.write(SYMBOLS[index + code - first]);
                code = 0;
                length = 0;
                first = 0;
                index = 0;
                ones = true;
            } else {
                index += COUNTS[length];
                first += COUNTS[length];
            }
        }
        if (length > 7 || !ones) {
            throw new IOException("a header that ends within a symbol");
        }
        return text.toString(StandardCharsets.ISO_8859_1);
    }
}
