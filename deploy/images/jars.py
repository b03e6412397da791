#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs jars for an image: jars.py OUT_DIR NATIVE_DIR JAR ...

- Libraries of other platforms are left out. Those of this one go to NATIVE_DIR, from where they are loaded without being
  unpacked, so that the image works with a read-only root.
- Of the Envoy API and of Google's common messages, which are large and little used, only classes stay whose names occur
  in a class that stays.
- Order and times of entries are fixed: equal input gives equal bytes.
"""
import os
import re
import struct
import sys
import zipfile

MACHINE = os.uname().machine
OTHERS = re.compile(r"(osx|windows|macos|mac)[-_]|" + ("aarch_?64|arm(32|64|v)" if MACHINE == "x86_64" else "x86_64|amd64"))
NATIVE = re.compile(r"^META-INF/native/.*\.(so|jnilib|dll|dylib)$")
TRIMMED = re.compile(r"^(api|proto-google-common-protos)-[\d.]+\.jar$")
NAME = re.compile(rb"[A-Za-z_][\w$]*(?:/[\w$]+)+")
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}


def names_in(data):
    """Everything in a class file's constants that could be the name of a class."""
    count, position, index = struct.unpack_from(">H", data, 8)[0], 10, 1
    found = set()
    while index < count:
        tag = data[position]
        position += 1
        if tag == 1:
            length = struct.unpack_from(">H", data, position)[0]
            for name in NAME.findall(data[position + 2:position + 2 + length]):
                found.add(name)
                found.add(name[1:])  # a descriptor: L before the name
            position += 2 + length
        else:
            position += SIZES[tag]
        index += 2 if tag in (5, 6) else 1
    return found


def kept(trimmed, whole):
    """The classes of the trimmed jars that are within reach of the others."""
    classes = {}
    for jar in trimmed:
        with zipfile.ZipFile(jar) as archive:
            for name in archive.namelist():
                if name.endswith(".class"):
                    classes[name.removesuffix(".class").encode()] = archive.read(name)
    reached, waiting = set(), []

    def reach(data):
        for name in names_in(data):
            if name in classes and name not in reached:
                reached.add(name)
                waiting.append(name)

    for jar in whole:
        with zipfile.ZipFile(jar) as archive:
            for name in archive.namelist():
                if name.endswith(".class") and not name.startswith("META-INF/versions"):
                    reach(archive.read(name))
    while waiting:
        reach(classes[waiting.pop()])
    return {name.decode() + ".class" for name in reached}


def pack(jar, out, natives, keep):
    entries = {}
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if name.endswith("/") or name.endswith(".proto"):
                continue
            if NATIVE.match(name):
                if not OTHERS.search(os.path.basename(name)):
                    target = os.path.join(natives, os.path.basename(name))
                    with open(target, "wb") as file:
                        file.write(archive.read(name))
                    os.chmod(target, 0o755)
                continue
            if keep is not None and name.endswith(".class") and name not in keep:
                continue
            entries[name] = archive.read(name)
    first = [name for name in ("META-INF/MANIFEST.MF",) if name in entries]  # java looks for it at the beginning
    with zipfile.ZipFile(os.path.join(out, os.path.basename(jar)), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in first + sorted(entries.keys() - set(first)):
            info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, entries[name])


def main():
    out, natives, *jars = sys.argv[1:]
    jars = [jar for jar in sorted(jars) if not re.search(r"-(osx|windows)-", jar)]
    jars = [jar for jar in jars if not OTHERS.search(os.path.basename(jar))]
    trimmed = [jar for jar in jars if TRIMMED.match(os.path.basename(jar))]
    keep = kept(trimmed, [jar for jar in jars if jar not in trimmed])
    for jar in jars:
        pack(jar, out, natives, keep if jar in trimmed else None)


if __name__ == "__main__":
    main()
