package io.fathom.app.fathomd.http;

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

    /// A page, where it is, and one line about it.
    public record Entry(String path, String help, Access access, Page page) {}

    private static final String DEBUG = "/debug/";

    private final Map<String, Entry> entries = new TreeMap<>();

    public Pages() {
        entries.put("/debug", new Entry("/debug", "This list", Access.LOOPBACK, _ -> Page.Reply.html(index())));
        debug("list", "The names of all debug pages", _ -> Page.Reply.json(json -> json.list(names(), JsonOut::value)));
    }

    /// A page that anyone who reaches the port may read.
    public Pages open(String path, String help, Page page) {
        entries.put(path, new Entry(path, help, Access.ANYONE, page));
        return this;
    }

    /// The page `/debug/<name>`.
    public Pages debug(String name, String help, Page page) {
        entries.put(DEBUG + name, new Entry(DEBUG + name, help, Access.LOOPBACK, page));
        return this;
    }

    Optional<Entry> at(String path) {
        return Optional.ofNullable(entries.get(path));
    }

    Collection<Entry> all() {
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
                <html lang="en"><head><meta charset="utf-8"><title>fathomd</title>
                <style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:48rem;padding:0 1rem}
                td{padding:.2rem 1rem .2rem 0}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}
                a{color:#8bf}}</style></head><body><h1>fathomd</h1><table>
                """);
        entries.values()
                .forEach(entry -> html.append("<tr><td><a href=\"%s\">%s</a></td><td>%s</td></tr>%n"
                        .formatted(link(entry), entry.path(), entry.help())));
        return html.append("</table><p>Add <code>?pretty</code> to JSON pages to read them.</p></body></html>\n")
                .toString();
    }

    private static String link(Entry entry) {
        return entry.access() == Access.LOOPBACK ? entry.path() + "?pretty" : entry.path();
    }
}
