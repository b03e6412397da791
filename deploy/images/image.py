#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes an OCI image from files of this machine: no registry, no daemon, no root file system to bootstrap.

    image.py localhost/app:1 app.tar --add build/app=/app --entrypoint /app
    image.py localhost/java-app:1 app.tar --add build/runtime=/opt/java --layer --add target/app.jar=/app.jar \
        --entrypoint /opt/java/bin/java --entrypoint -jar --entrypoint /app.jar -- run

What follows "--" are the default arguments, which `args` in a manifest replaces.

Every ELF file added brings the shared libraries and the loader it is linked against, so the image is as small as
the programs in it. Libraries that a program opens by name at run time must be added by hand. Equal input gives an
equal digest: order, owners, permissions and times are fixed.
"""
import argparse
import gzip
import hashlib
import io
import json
import os
import stat
import subprocess
import sys
import tarfile
import tempfile

import sbom

TIME = 1767225600  # of every file: 2026-01-01. AOT caches name the times of the files they were made from.


class Layer:
    """The paths of one file system layer, in memory until written."""

    def __init__(self, lower=None):
        self.lower = lower
        self.entries = {}  # path in image -> ("dir", ""), ("link", target), ("text", bytes) or ("file", source)

    def holds(self, path):
        return path in self.entries or (self.lower is not None and self.lower.holds(path))

    def sources(self):
        own = {os.path.realpath(what) for kind, what in self.entries.values() if kind == "file"}
        return own | (self.lower.sources() if self.lower is not None else set())

    def put(self, path, kind, what=""):
        path = os.path.normpath(path)
        while path != "/":
            if kind != "dir" or path not in self.entries:
                self.entries[path] = (kind, what)
            path, kind, what = os.path.dirname(path), "dir", ""

    def add(self, source, dest):
        if not os.path.isdir(source):
            self.put(dest, "file", os.path.realpath(source))
            return
        for root, dirs, files in os.walk(source):
            inside = os.path.join(dest, os.path.relpath(root, source))
            self.put(inside, "dir")
            for name in dirs + files:
                path = os.path.join(root, name)
                if os.path.islink(path):
                    self.put(os.path.join(inside, name), "link", os.readlink(path))
                elif name in files:
                    self.put(os.path.join(inside, name), "file", path)

    def add_libraries(self):
        """Adds what the ELF files need, except what came with them, as inside a Java runtime."""
        present = self.sources()
        for source in sorted({what for kind, what in self.entries.values() if kind == "file"}):
            for library in libraries_of(source):
                if os.path.realpath(library) not in present and not self.holds(library):
                    self.put(library, "file", os.path.realpath(library))

    def write(self, file):
        with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for path, (kind, what) in sorted(self.entries.items()):
                info = tarfile.TarInfo(path.lstrip("/"))
                info.mtime = TIME
                if kind == "dir":
                    info.type, info.mode = tarfile.DIRTYPE, 0o1777 if path == "/tmp" else 0o755
                    tar.addfile(info)
                elif kind == "link":
                    info.type, info.linkname, info.mode = tarfile.SYMTYPE, what, 0o777
                    tar.addfile(info)
                elif kind == "text":
                    info.size, info.mode = len(what), 0o644
                    tar.addfile(info, io.BytesIO(what))
                else:
                    runs = stat.S_IMODE(os.stat(what).st_mode) & 0o111
                    info.size, info.mode = os.path.getsize(what), 0o755 if runs else 0o644
                    with open(what, "rb") as data:
                        tar.addfile(info, data)


def libraries_of(path):
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return []
    output = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    words = {word for line in output.splitlines() for word in line.split()}
    return sorted(word for word in words if word.startswith("/") and os.path.exists(word))


def blob(data):
    return {"digest": "sha256:" + hashlib.sha256(data).hexdigest(), "size": len(data)}


def write_image(name, out, layers, config, layer_names):
    """Returns the image's digest and, for each layer, its name, digest, size and size when packed."""
    told = []
    with tarfile.open(out, mode="w") as tar:
        def put(path, data):
            info = tarfile.TarInfo(path)
            info.size, info.mtime = len(data), TIME
            tar.addfile(info, io.BytesIO(data))

        def put_blob(data):
            described = blob(data)
            put("blobs/sha256/" + described["digest"][7:], data)
            return described

        descriptors = []
        for layer, layer_name in zip(layers, layer_names):
            with tempfile.TemporaryFile() as file:
                layer.write(file)
                file.seek(0)
                data = file.read()
            descriptors.append({"mediaType": "application/vnd.oci.image.layer.v1.tar", **put_blob(data)})
            packed = len(gzip.compress(data, 6)) if os.environ.get("FATHOM_IMAGE_SIZES") else None
            told.append((layer_name, descriptors[-1]["digest"], len(data), packed))
        image = {
            "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine],
            "os": "linux",
            "config": config,
            "rootfs": {"type": "layers", "diff_ids": [d["digest"] for d in descriptors]},  # not compressed: same digest
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **put_blob(dump(image))},
            "layers": descriptors,
        }
        described = put_blob(dump(manifest))
        entry = {
            "mediaType": manifest["mediaType"],
            **described,
            "annotations": {"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name},
        }
        put("index.json", dump({"schemaVersion": 2, "manifests": [entry]}))
        put("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
    return described["digest"], told


def dump(value):
    return json.dumps(value, sort_keys=True).encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    layers = [Layer()]
    layer_names = ["base"]

    class Add(argparse.Action):
        def __call__(self, _parser, _namespace, value, option=None):
            source, _, dest = value.partition("=")
            if option == "--layer":
                layers.append(Layer(layers[-1]))
                layer_names.append(value)
            elif option == "--add":
                layers[-1].add(source, dest or os.path.abspath(source))
            elif option == "--dir":
                layers[-1].put(value, "dir")
            elif option == "--text":
                layers[-1].put(source, "text", dest.encode())
            else:
                layers[-1].put(source, "link", dest)

    parser.add_argument("name", help="full reference, for example localhost/app:1")
    parser.add_argument("out", help="tar file to write")
    parser.add_argument("--add", action=Add, metavar="SOURCE[=PATH]", help="copy a file or a tree")
    parser.add_argument("--dir", action=Add, metavar="PATH", help="make a directory")
    parser.add_argument("--text", action=Add, metavar="PATH=TEXT", help="make a file with that content")
    parser.add_argument("--link", action=Add, metavar="PATH=TARGET", help="make a symbolic link")
    parser.add_argument("--layer", action=Add, metavar="NAME", help="what follows goes into a new layer of that name")
    parser.add_argument("--entrypoint", action="append", metavar="WORD", help="repeat for each word")
    parser.add_argument("--env", action="append", default=["PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
    parser.add_argument("--label", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--user")
    parser.add_argument("--workdir", default="/")
    parser.add_argument("--maven", metavar="FILE", help="write a bill of materials: the output of dependency:list")
    parser.add_argument("--version", default="unknown", help="for the bill of materials")
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    args = parser.parse_args(sys.argv[1:end])
    for path in ("/tmp", "/etc", "/run"):
        layers[0].put(path, "dir")
    if not layers[0].holds("/var/run"):
        layers[0].put("/var/run", "link", "/run")
    for layer in layers:
        layer.add_libraries()
    if args.maven:
        short = args.name.rpartition("/")[2].partition(":")[0]
        bill = sbom.bill(short, args.version, sorted(layers[-1].sources()), args.maven)
        layers[-1].put(f"/usr/share/sbom/{short}.cdx.json", "text", bill)
        with open(os.path.splitext(args.out)[0] + ".cdx.json", "wb") as file:
            file.write(bill)
    config = {"Entrypoint": args.entrypoint, "Cmd": sys.argv[end + 1:], "Env": args.env, "User": args.user,
              "WorkingDir": args.workdir, "Labels": dict(label.split("=", 1) for label in args.label)}
    digest, told = write_image(args.name, args.out, layers, {k: v for k, v in config.items() if v}, layer_names)
    print(f"{args.name} {digest}")
    for name, layer, size, packed in told:
        print(f"  {name:12} {layer[7:19]} {size / 1e6:7.1f} MB" + (f" {packed / 1e6:7.1f} MB packed" if packed else ""))


if __name__ == "__main__":
    main()
