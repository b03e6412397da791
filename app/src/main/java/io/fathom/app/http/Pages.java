// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The pages of the HTTP port by path. Built once, then only read.
public final class Pages {
    /// Who may read a page. Until clients of this port authenticate, debug pages are for the same machine only.
    public enum Access {
        ANYONE,
        LOOPBACK
    }

    /// How long the answer of a page may take.
    public enum Speed {
        /// It blocks on nothing and is short, so the thread that accepts connections gives it.
        AT_ONCE,
        ANY
    }

    /// A page, where it is, and one line about it.
    ///
    /// @param longestBody that a request may bring, in bytes
    public record PageEntry(
            String path, String help, Access access, Page.Method method, Speed speed, int longestBody, Page page) {}

    private static final String DEBUG = "/debug/";

    private final String program;
    private final Map<String, PageEntry> entries = new TreeMap<>();

    /// @param program whose pages they are
    public Pages(String program) {
        this.program = program;
    }

    /// A page at that path that lists all pages for people.
    public Pages index(String path) {
        return local(path, "This list", _ -> Page.Reply.html(index()));
    }

    /// The page `/debug/list` with the names of all debug pages.
    public Pages debugList() {
        return debug(
                "list",
                "The names of all debug pages",
                _ -> Page.Reply.json(json -> json.list(names(), JsonOut::value)));
    }

    /// A page that anyone who reaches the port may read.
    public Pages open(String path, String help, Page page) {
        return add(new PageEntry(path, help, Access.ANYONE, Page.Method.READ, Speed.ANY, 0, page));
    }

    /// A page for probes, which anyone may read. It is answered beside any number of clients that stall.
    ///
    /// @param page answers in a few words and never blocks: all connections of the port wait for it
    public Pages probe(String path, String help, Page page) {
        return add(new PageEntry(path, help, Access.ANYONE, Page.Method.READ, Speed.AT_ONCE, 0, page));
    }

    /// A page for the same machine only.
    public Pages local(String path, String help, Page page) {
        return add(new PageEntry(path, help, Access.LOOPBACK, Page.Method.READ, Speed.ANY, 0, page));
    }

    /// Something to be done by `POST`, from the same machine only.
    public Pages action(String path, String help, Page page) {
        return add(new PageEntry(path, help, Access.LOOPBACK, Page.Method.ACT, Speed.ANY, 0, page));
    }

    /// Something that anyone may send by `POST`, at that path and at all below it.
    ///
    /// @param longest body, in bytes
    public Pages inbox(String path, String help, int longest, Page page) {
        return add(new PageEntry(path, help, Access.ANYONE, Page.Method.ACT, Speed.ANY, longest, page));
    }

    /// The page `/debug/<name>`.
    public Pages debug(String name, String help, Page page) {
        return local(DEBUG + name, help, page);
    }

    private Pages add(PageEntry entry) {
        entries.put(entry.path(), entry);
        return this;
    }

    Optional<PageEntry> at(String path) {
        var second = path.indexOf('/', 1);
        return Optional.ofNullable(entries.get(path))
                .or(() -> Optional.of(second)
                        .filter(end -> end > 0)
                        .flatMap(end -> Optional.ofNullable(entries.get(path.substring(0, end))))
                        .filter(entry -> entry.longestBody() > 0));
    }

    Collection<PageEntry> all() {
        return entries.values();
    }

    private Collection<String> names() {
        return entries.keySet().stream()
                .filter(path -> path.startsWith(DEBUG))
                .map(path -> path.substring(DEBUG.length()))
                .toList();
    }

    private String index() {
        var html = new StringBuilder("""
                <!doctype html>
                <html lang="en"><head><meta charset="utf-8"><title>%1$s</title>
                <style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:48rem;padding:0 1rem}
                td{padding:.2rem 1rem .2rem 0}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}
                a{color:#8bf}}</style></head><body><h1>%1$s</h1><table>
                """.formatted(program));
        entries.values()
                .forEach(entry -> html.append("<tr><td><a href=\"%s\">%s</a></td><td>%s</td></tr>%n"
                        .formatted(link(entry), entry.path(), entry.help())));
        return html.append("</table><p>Add <code>?pretty</code> to JSON pages to read them.</p></body></html>\n")
                .toString();
    }

    private static String link(PageEntry entry) {
        return entry.access() == Access.LOOPBACK ? entry.path() + "?pretty" : entry.path();
    }
}
