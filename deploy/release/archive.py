#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs files into a .tar.gz whose bytes depend on nothing but the files' names, contents and right to be executed.

    archive.py OUT.tar.gz [--skip PATTERN] PATH-IN-ARCHIVE=SOURCE ...

A SOURCE that is a folder is added with all that is below it, in the order of names. Times, owners and other modes are
fixed, so archives of two builds can be compared.
"""
import argparse
import fnmatch
import gzip
import os
import tarfile

TIME = 1767225600  # 2026-01-01, as in images


def files(source, skipped):
    """Pairs of a path below the source, empty for the source itself, and the file."""
    if not os.path.isdir(source):
        yield "", source
        return
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if not any(fnmatch.fnmatch(name, s) for s in skipped))
        for name in sorted(names):
            if not any(fnmatch.fnmatch(name, pattern) for pattern in skipped):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, source), path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--skip", action="append", default=[], metavar="PATTERN", help="names that are left out")
    parser.add_argument("add", nargs="+", metavar="PATH-IN-ARCHIVE=SOURCE")
    args = parser.parse_args()
    found = {}
    for add in args.add:
        target, _, source = add.partition("=")
        if not os.path.exists(source):
            parser.error(f"{source} does not exist")
        for below, path in files(source, args.skip):
            found[os.path.normpath(os.path.join(target, below))] = path
    with open(args.out, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=TIME) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name in sorted(found):
                info = tarfile.TarInfo(name)
                info.size, info.mtime = os.path.getsize(found[name]), TIME
                info.mode = 0o755 if os.access(found[name], os.X_OK) else 0o644
                with open(found[name], "rb") as file:
                    tar.addfile(info, file)


if __name__ == "__main__":
    main()
