# SPDX-License-Identifier: Apache-2.0
"""Writes what an image is made of as a CycloneDX 1.6 document: Java libraries, Debian packages, the Java runtime.

Java libraries are those of Maven's list whose jars are in the image, Debian packages those that own one of its other
files. Nothing in it depends on when or where it was made.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid

LINE = re.compile(r"^\s+(?P<coordinates>[\w.\-]+(?::[\w.\-]+){4,5}):(?P<path>/\S+?\.jar)\b")


def maven_components(listing, names):
    """Maven's list as components; only those whose file is among the names."""
    found = []
    with open(listing, encoding="utf-8") as lines:
        for line in lines:
            match = LINE.match(re.sub(r"\x1b\[[0-9;]*m", "", line))
            if not match or os.path.basename(match["path"]) not in names:
                continue
            words = match["coordinates"].split(":")
            group, name, version = words[0], words[1], words[-2]
            if group == "io.fathom":
                continue
            classifier = f"&classifier={words[3]}" if len(words) == 6 else ""
            found.append({
                "type": "library",
                "group": group,
                "name": name,
                "version": version,
                "purl": f"pkg:maven/{group}/{name}@{version}?type=jar{classifier}",
                "hashes": [{"alg": "SHA-256", "content": sha256(match["path"])}],
                **licenses(match["path"]),
            })
    return found


def licenses(jar):
    """What the library's own POM says, if it does; a parent POM is not looked for."""
    pom = re.sub(r"(-linux-[\w]+)?\.jar$", ".pom", jar)
    if not os.path.exists(pom):
        return {}
    with open(pom, encoding="utf-8") as file:
        text = file.read()
    names = re.findall(r"<license>.*?<name>\s*(.*?)\s*</name>", text, re.DOTALL)
    return {"licenses": [{"license": {"name": name}} for name in names]} if names else {}


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def debian_components(sources):
    """The packages that own the files, also where /lib is a link to /usr/lib."""
    asked = sorted({name for path in sources if path.startswith("/")
                    for name in (path, path.removeprefix("/usr") if path.startswith("/usr/") else path)})
    owners = set()
    for start in range(0, len(asked), 200):
        try:
            answer = subprocess.run(["dpkg-query", "--search", *asked[start:start + 200]], capture_output=True, text=True,
                                    check=False).stdout
        except FileNotFoundError:
            return []
        owners |= {line.split(": ")[0].split(",")[0] for line in answer.splitlines() if not line.startswith("diversion")}
    shown = "${Package}\t${Version}\t${Architecture}\n"
    found = []
    for owner in sorted(owners):
        answer = subprocess.run(["dpkg-query", "--show", "-f", shown, owner], capture_output=True, text=True, check=False)
        for line in answer.stdout.splitlines()[:1]:
            name, version, architecture = line.split("\t")
            found.append({"type": "library", "name": name, "version": version,
                          "purl": f"pkg:deb/debian/{name}@{version}?arch={architecture}"})
    return found


def java_components(sources):
    """The runtimes among the files: each has a file that says what it is."""
    found = {}
    for path in sources:
        if os.path.basename(path) == "release":
            with open(path, encoding="utf-8") as file:
                facts = dict(re.findall(r'^(\w+)="(.*)"$', file.read(), re.MULTILINE))
            if "JAVA_VERSION" in facts:
                version = facts.get("JAVA_RUNTIME_VERSION", facts["JAVA_VERSION"])
                publisher = facts.get("IMPLEMENTOR", "OpenJDK")
                found[version] = {"type": "platform", "name": "openjdk", "version": version, "publisher": publisher,
                                  "purl": f"pkg:generic/openjdk@{version.replace('+', '%2B')}"}
    return [found[version] for version in sorted(found)]


def bill(name, version, sources, listing, kind="container"):
    """The document as bytes."""
    jars = {os.path.basename(path) for path in sources}
    components = sorted(
        maven_components(listing, jars) + debian_components(sources) + java_components(sources),
        key=lambda component: component["purl"])
    for component in components:
        component["bom-ref"] = component["purl"]
    subject = {"type": kind, "name": name, "version": version, "bom-ref": f"fathom:{name}@{version}"}
    content = json.dumps([subject, components], sort_keys=True)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_OID, content)),
        "version": 1,
        "metadata": {"component": subject},
        "components": components,
    }
    return (json.dumps(document, indent=2, sort_keys=True) + "\n").encode()


def main():
    """sbom.py NAME VERSION LISTING JAR ...: what an application is made of."""
    name, version, listing, *jars = sys.argv[1:]
    sys.stdout.buffer.write(bill(name, version, jars, listing, "application"))


if __name__ == "__main__":
    main()
