// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.binary.BinaryObjects;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.JsonList;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

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
    private final ApiCalls calls;
    private volatile boolean streamsLists = true;

    /// An answer that was read to its end.
    private record Reply(int status, String body) {}

    public KubeClient(KubeConfig config, KubeSettings settings) {
        this.config = config;
        this.settings = settings;
        this.calls = new ApiCalls(config, settings);
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
        var items = new ArrayList<KubeObject>();
        var version = each(query, items::clear, items::add);
        return new KubeList(items, version);
    }

    /// Hands over all objects as of one moment, each as it comes, and returns that moment.
    ///
    /// @param begin called first, and again if the moment was forgotten on the way: then all comes anew
    String each(KubeQuery query, Runnable begin, Consumer<KubeObject> taker) {
        begin.run();
        try {
            return pages(query, "&limit=" + settings.page(), taker);
        } catch (ProblemException e) {
            if (!e.problem().code().equals("kube-expired")) {
                throw e;
            }
        }
        begin.run();
        return pages(query, "", taker);
    }

    private String pages(KubeQuery query, String limit, Consumer<KubeObject> taker) {
        var next = "";
        for (; ; ) {
            var target = query.target() + limit + (next.isEmpty() ? "" : "&continue=" + KubeResource.encoded(next));
            var page = Field.root(page(query, target, taker)).at("metadata");
            next = page.at("continue").text();
            if (next.isEmpty()) {
                return page.at("resourceVersion").text();
            }
        }
    }

    /// One page without its items, which went to `taker`.
    private Tree page(KubeQuery query, String target, Consumer<KubeObject> taker) {
        var what = "list " + query;
        var call = calls.call("GET", target, query.acceptsList(), "", "");
        try {
            return calls.exchange(call, answer -> {
                if (answer.status() != 200) {
                    var said = BinaryAnswer.text(answer, MAX_ANSWER);
                    throw ApiProblems.ofStatus(config.server(), what, query, answer.status(), said);
                }
                JsonList.Items items = (soFar, item) -> taker.accept(item(query, soFar, item));
                var rest = BinaryAnswer.isBinary(answer)
                        ? BinaryObjects.list(answer.body(), items)
                        : JsonList.read("answer", answer.body(), items);
                if (answer.body().read() >= 0) {
                    throw new IOException("there is more than a list");
                }
                return rest;
            });
        } catch (MisreadException e) {
            throw ApiProblems.unreadable(config.server(), what, e);
        } catch (IOException e) {
            throw ApiProblems.ofFailure(config.server(), what, e);
        }
    }

    /// Items of built-in kinds do not say what they are; their list does, before them.
    private static KubeObject item(KubeQuery query, Map<String, Tree> list, Tree item) {
        if (query.shape() instanceof KubeQuery.Shape.Metadata) {
            return query.named(new KubeObject(item));
        }
        return list.get("kind") instanceof Tree.Scalar kind
                ? KubeObject.ofItem(
                        item, query.resource().apiVersion(), kind.text().replaceAll("List$", ""))
                : new KubeObject(item);
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
    public ObjectWatch watch(KubeQuery query, ObjectWatch.WatchSink sink) {
        return ObjectWatch.start(this, query, sink);
    }

    /// The events of a query after `version`, as they come. Whoever reads them ends the link.
    WatchStream events(KubeQuery query, String version, Duration lasting) {
        return stream(query, "&resourceVersion=" + KubeResource.encoded(version), lasting);
    }

    /// All objects of a query as events up to a bookmark that says so, and then what becomes of them.
    WatchStream initialEvents(KubeQuery query, Duration lasting) {
        return stream(query, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", lasting);
    }

    /// Whether the server is worth asking for [#initialEvents]: true until it refused.
    boolean streamsLists() {
        return streamsLists;
    }

    /// The server does not know what we mean.
    void listInPages() {
        streamsLists = false;
    }

    /// Whether the API server itself says, in the list of what it has, that it lacks a kind. False if it cannot tell.
    boolean lacks(KubeResource resource) {
        try {
            var groups = page("/apis");
            if (!groups.at("kind").text().equals("APIGroupList")) {
                return false;
            }
            var served = groups.at("groups").items().stream()
                    .filter(group -> group.at("name").text().equals(resource.group()))
                    .flatMap(group -> group.at("versions").items().stream())
                    .anyMatch(version -> version.at("version").text().equals(resource.version()));
            return !served || lacks(page("/apis/" + resource.apiVersion()), resource.plural());
        } catch (ProblemException | MisreadException e) {
            return false;
        }
    }

    private static boolean lacks(Field kinds, String plural) {
        return kinds.at("kind").text().equals("APIResourceList")
                && kinds.at("resources").items().stream()
                        .noneMatch(kind -> kind.at("name").text().equals(plural));
    }

    private Field page(String path) {
        var what = "get " + path;
        return Field.root(parsed(what, success(what, send(what, "GET", path, "", ""))));
    }

    private WatchStream stream(KubeQuery query, String since, Duration lasting) {
        var what = "watch " + query;
        var target = query.target() + "&watch=1&allowWatchBookmarks=true" + since + "&timeoutSeconds="
                + Math.max(1, lasting.toSeconds());
        try {
            var call = calls.call("GET", target, query.acceptsObject(), "", "");
            return calls.stream(
                    call,
                    lasting,
                    answer -> ApiProblems.ofStatus(
                            config.server(), what, query, answer.status(), BinaryAnswer.text(answer, MAX_ANSWER)));
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
        try {
            return calls.exchange(
                    calls.call(method, target, ApiCalls.JSON, type, body),
                    answer -> new Reply(answer.status(), answer.text(MAX_ANSWER)));
        } catch (IOException e) {
            throw ApiProblems.ofFailure(config.server(), what, e);
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
        calls.close();
    }
}
