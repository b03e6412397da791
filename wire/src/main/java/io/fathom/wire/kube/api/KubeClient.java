package io.fathom.wire.kube.api;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.http.HttpAnswer;
import io.fathom.wire.http.HttpCall;
import io.fathom.wire.http.HttpLink;
import io.fathom.wire.kube.api.KubeConfig.Token;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/// Asks an API server. Any number of threads; each call blocks until there is an answer.
///
/// Every failure is a [ProblemException] that names the object and what to do; tokens are never quoted. A connection
/// that the server closed while it waited is replaced once, except for [#create].
public final class KubeClient implements AutoCloseable {
    private static final int MAX_ANSWER = 512 * 1024 * 1024;
    private static final String MERGE_PATCH = "application/merge-patch+json";
    private static final String JSON_PATCH = "application/json-patch+json";
    private static final String APPLY = "application/apply-patch+yaml";

    private final KubeConfig config;
    private final KubeSettings settings;
    private final ApiLinks links;
    private final String prefix;

    /// An answer that was read to its end.
    private record Reply(int status, String body) {}

    public KubeClient(KubeConfig config, KubeSettings settings) {
        this.config = config;
        this.settings = settings;
        this.links = new ApiLinks(config, settings);
        var path = config.server().getRawPath();
        this.prefix = path == null || path.equals("/") ? "" : path.replaceAll("/+$", "");
    }

    public URI server() {
        return config.server();
    }

    KubeSettings settings() {
        return settings;
    }

    /// Empty when there is no such object. The namespace of a cluster's object is not looked at.
    public Optional<KubeObject> get(KubeResource resource, String namespace, String name) {
        var what = words("get", resource, namespace, name);
        return found(what, send(what, "GET", resource.path(namespace, name), "", ""));
    }

    /// All objects, page by page, as of one moment.
    public KubeList list(KubeQuery query) {
        try {
            return list(query, "&limit=" + settings.page());
        } catch (ProblemException e) {
            if (e.problem().code().equals("kube-expired")) { // a later page, of a moment the server forgot meanwhile
                return list(query, "");
            }
            throw e;
        }
    }

    private KubeList list(KubeQuery query, String limit) {
        var what = "list " + query;
        var items = new ArrayList<KubeObject>();
        var next = "";
        for (; ; ) {
            var target = query.target() + limit + (next.isEmpty() ? "" : "&continue=" + KubeResource.encoded(next));
            var tree = parsed(what, success(what, send(what, "GET", target, "", "")));
            var page = Field.root(tree);
            try {
                var kind = page.at("kind").requiredText().replaceAll("List$", "");
                var apiVersion = page.at("apiVersion").requiredText();
                if (tree instanceof Tree.Mapping mapping
                        && mapping.entries().get("items") instanceof Tree.Sequence sequence) {
                    sequence.items().forEach(item -> items.add(KubeObject.ofItem(item, apiVersion, kind)));
                }
                next = page.at("metadata").at("continue").text();
                if (next.isEmpty()) {
                    return new KubeList(
                            items, page.at("metadata").at("resourceVersion").text());
                }
            } catch (MisreadException e) {
                throw ApiProblems.unreadable(config.server(), what, e);
            }
        }
    }

    /// Makes an object and returns it as the server holds it.
    public KubeObject create(KubeResource resource, String namespace, Tree object) {
        var what = "create " + resource + (namespace.isEmpty() ? "" : " in " + namespace);
        var reply = send(what, "POST", resource.path(namespace), "application/json", Json.compact(object));
        return new KubeObject(parsed(what, success(what, reply)));
    }

    /// What [#create] would do, with every check on the way but without storing anything.
    public KubeObject rehearseCreate(KubeResource resource, String namespace, Tree object) {
        var what = "create (as a rehearsal) " + resource + (namespace.isEmpty() ? "" : " in " + namespace);
        var path = resource.path(namespace) + "?dryRun=All";
        var reply = send(what, "POST", path, "application/json", Json.compact(object));
        return new KubeObject(parsed(what, success(what, reply)));
    }

    /// Changes the fields that `patch` has, takes away those that are null in it. Empty when there is no such object.
    public Optional<KubeObject> patch(KubeResource resource, String namespace, String name, Tree patch) {
        var what = words("patch", resource, namespace, name);
        return found(what, send(what, "PATCH", resource.path(namespace, name), MERGE_PATCH, Json.compact(patch)));
    }

    /// Like [#patch], through the subresource `status`, for which other permissions count: `status`, and some metadata.
    public Optional<KubeObject> patchStatus(KubeResource resource, String namespace, String name, Tree patch) {
        var what = words("patch", status(resource), namespace, name);
        var path = resource.path(namespace, name) + "/status";
        return found(what, send(what, "PATCH", path, MERGE_PATCH, Json.compact(patch)));
    }

    /// Does the steps of a JSON patch (RFC 6902) to the status, or none of them: the way to change what is still as it
    /// was read. A `test` that fails is the problem `kube-refused`. Empty when there is no such object.
    public Optional<KubeObject> editStatus(KubeResource resource, String namespace, String name, List<Tree> steps) {
        var what = words("patch", status(resource), namespace, name);
        var path = resource.path(namespace, name) + "/status";
        return found(what, send(what, "PATCH", path, JSON_PATCH, Json.compact(Json.of(steps))));
    }

    /// Like [#apply], through the subresource `status`. Empty when there is no such object.
    public Optional<KubeObject> applyStatus(
            KubeResource resource, String namespace, String name, Tree object, String manager) {
        var what = words("apply", status(resource), namespace, name);
        var path = resource.path(namespace, name) + "/status?force=true&fieldManager=" + KubeResource.encoded(manager);
        return found(what, send(what, "PATCH", path, APPLY, Json.compact(object)));
    }

    /// As messages name it.
    private static KubeResource status(KubeResource resource) {
        return new KubeResource("", "", resource + "/status", resource.scope());
    }

    /// Server-side apply: makes the object or changes what `manager` owns of it, whoever else wants it.
    public KubeObject apply(KubeResource resource, String namespace, String name, Tree object, String manager) {
        var what = words("apply", resource, namespace, name);
        var path = resource.path(namespace, name) + "?force=true&fieldManager=" + KubeResource.encoded(manager);
        var reply = send(what, "PATCH", path, APPLY, Json.compact(object));
        return new KubeObject(parsed(what, success(what, reply)));
    }

    /// False when there is no such object.
    public boolean delete(KubeResource resource, String namespace, String name) {
        var what = words("delete", resource, namespace, name);
        return found(what, send(what, "DELETE", resource.path(namespace, name), "", ""))
                .isPresent();
    }

    /// Follows the objects of a query, now and as they change, until it is closed.
    public ObjectWatch watch(KubeQuery query, ObjectWatch.Sink sink) {
        return ObjectWatch.start(this, query, sink);
    }

    /// The events of a query after `version`, as they come. Whoever reads them ends the link.
    WatchStream events(KubeQuery query, String version, Duration lasting) {
        var what = "watch " + query;
        var target = query.target() + "&watch=1&allowWatchBookmarks=true&resourceVersion="
                + KubeResource.encoded(version) + "&timeoutSeconds=" + Math.max(1, lasting.toSeconds());
        try {
            var link = links.open(lasting.plus(settings.answer()));
            var keep = false;
            try {
                var answer = link.call(call("GET", target, "", ""));
                if (answer.status() != 200) {
                    throw ApiProblems.ofStatus(config.server(), what, answer.status(), answer.text(MAX_ANSWER));
                }
                keep = true;
                return new WatchStream(answer.body(), () -> links.end(link));
            } finally {
                if (!keep) {
                    links.end(link);
                }
            }
        } catch (IOException e) {
            throw ApiProblems.ofFailure(config.server(), what, e);
        }
    }

    private Optional<KubeObject> found(String what, Reply reply) {
        if (reply.status() == 404 && isAboutTheObject(reply.body())) {
            return Optional.empty();
        }
        return Optional.of(new KubeObject(parsed(what, success(what, reply))));
    }

    /// Whether a 404 is the API server's word on the object, rather than that of something else which knows no such
    /// path.
    private static boolean isAboutTheObject(String body) {
        try {
            return Field.root(Json.parse("answer", body)).at("reason").text().equals("NotFound");
        } catch (MisreadException e) {
            return false;
        }
    }

    private String success(String what, Reply reply) {
        if (reply.status() / 100 != 2) {
            throw ApiProblems.ofStatus(config.server(), what, reply.status(), reply.body());
        }
        return reply.body();
    }

    private Tree parsed(String what, String body) {
        try {
            return Json.parse("answer", body);
        } catch (MisreadException e) {
            throw ApiProblems.unreadable(config.server(), what, e);
        }
    }

    private Reply send(String what, String method, String target, String type, String body) {
        var call = call(method, target, type, body);
        try {
            var waiting = links.waiting();
            if (waiting.isPresent()) {
                try {
                    return reply(waiting.get(), call);
                } catch (IOException e) {
                    if (method.equals("POST")) {
                        throw e; // it may have been done
                    }
                }
            }
            return reply(links.open(settings.answer()), call);
        } catch (IOException e) {
            throw ApiProblems.ofFailure(config.server(), what, e);
        }
    }

    private Reply reply(HttpLink link, HttpCall call) throws IOException {
        HttpAnswer answer;
        String text;
        try {
            answer = link.call(call);
            text = answer.text(MAX_ANSWER);
        } catch (IOException | RuntimeException e) {
            links.end(link);
            throw e;
        }
        links.giveBack(link);
        return new Reply(answer.status(), text);
    }

    private HttpCall call(String method, String target, String type, String body) {
        var headers = new HashMap<String, String>();
        headers.put("accept", "application/json");
        headers.put("user-agent", "fathom");
        if (!type.isEmpty()) {
            headers.put("content-type", type);
        }
        token().ifPresent(token -> headers.put("authorization", "Bearer " + token));
        return new HttpCall(method, prefix + target, config.server().getRawAuthority(), headers, body);
    }

    /// With `instanceof`, like the rest on the plugin's path: the first switch over types costs a start 20 ms.
    private Optional<String> token() {
        if (config.token() instanceof Token.Fixed fixed) {
            return Optional.of(fixed.text());
        }
        return config.token() instanceof Token.File file ? Optional.of(read(file)) : Optional.empty();
    }

    private static String read(Token.File file) {
        try {
            return Files.readString(file.path()).strip();
        } catch (IOException e) {
            throw Kubeconfig.problem(
                    "the token " + file.path() + " cannot be read: " + Kubeconfig.reason(e),
                    "check that it is there and readable");
        }
    }

    private static String words(String verb, KubeResource resource, String namespace, String name) {
        var path =
                namespace.isEmpty() || resource.scope() == KubeResource.Scope.CLUSTER ? name : namespace + "/" + name;
        return String.join(" ", List.of(verb, resource.toString(), path));
    }

    /// Ends calls and watches that wait.
    @Override
    public void close() {
        links.close();
    }
}
