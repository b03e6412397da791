// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Timeline;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.cluster.ProxyLocation;
import io.fathom.control.envoy.extension.ModuleFetcher;
import io.fathom.control.envoy.policy.JwksFetcher;
import io.fathom.control.envoy.refusal.RefusalFinder;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.sds.TrustSecret;
import io.fathom.wire.xds.ProxyFeeds;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.Verdict;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// What Envoys are configured with: tables on the flow of a mesh, and a store for each proxy group that follows them.
///
/// Subscribed to the mesh, it puts what a batch has changed into the stores of those groups that it concerns, on the
/// thread that brought the batch. A store is made when the first proxy asks for it, and kept until its Gateway is gone
/// and its last proxy has left. Any thread may ask.
public final class EnvoyMesh implements Consumer<Commit>, ProxyFeeds, AutoCloseable {
    private static final String CONFIG_MAP = "configmap://";

    private final Flow flow;
    private final EnvoyTables tables;
    private final InstantSource clock;
    private final String clusterId;
    private final FormerWaypoints.Keeping keeping;
    private final RefusalFinder refusals;
    /// Guarded by this object.
    private final FeedStores stores = new FeedStores();
    /// What proxies of groups that are gone have yet to be told; guarded by this object.
    private final Map<FeedStores.Key, ResourceBatch> dismissed = new HashMap<>();

    /// One whose waypoints drop at once what is taken from them.
    public EnvoyMesh(MeshFlow mesh, InstantSource clock) {
        this(mesh, clock, FormerWaypoints.Keeping.NOT_AT_ALL);
    }

    /// @param keeping what becomes of services and workloads that are taken from waypoints
    public EnvoyMesh(MeshFlow mesh, InstantSource clock, FormerWaypoints.Keeping keeping) {
        this.flow = mesh.flow();
        this.keeping = keeping;
        this.tables = new EnvoyTables(mesh, keeping);
        this.clock = clock;
        this.refusals = new RefusalFinder(flow, tables.refusals(), this::group);
        this.clusterId = mesh.config().clusterId();
    }

    /// What is wrong with objects that configure Envoys.
    public Table<ProblemKey, ObjectProblem> problems() {
        return tables.problems();
    }

    /// The same, all of an object together.
    public Table<ManifestId, List<ObjectProblem>> problemsByObject() {
        return tables.problemsByObject();
    }

    /// Says what is wrong with the proxies of a Gateway now. Not from within a commit.
    public void report(ObjectKey gateway, List<Problem> problems) {
        var id = new ManifestId(GatewayManifest.class, gateway);
        var found = problems.stream()
                .map(problem -> ObjectProblem.warning(id, "", problem))
                .toList();
        flow.update(update -> {
            flow.cut().of(tables.reported()).forEach((key, _) -> {
                if (key.object().equals(id)) {
                    update.remove(tables.reported(), key);
                }
            });
            ObjectProblem.rows(found).forEach((key, problem) -> update.put(tables.reported(), key, problem));
        });
    }

    /// Fetches the keys of token issuers until closed.
    public AutoCloseable fetchKeySets(JwksFetcher fetcher, Timeline timeline, Duration refresh) {
        return tables.rulebook().policies().fetchKeySets(fetcher, timeline, refresh);
    }

    /// Fetches the modules of extensions until closed.
    public AutoCloseable fetchModules(ModuleFetcher fetcher, Timeline timeline) {
        return tables.rulebook().users().fetch(fetcher, timeline);
    }

    @Override
    public synchronized void accept(Commit commit) {
        var batches = new HashMap<FeedStores.Key, ResourceBatch>();
        for (var table : tables.messages()) {
            for (var change : commit.changes(table)) {
                var own = stores.of(change.key().group());
                if (!own.isEmpty()) {
                    var encoded = change.current()
                            .map(message -> XdsResource.of(change.key().name(), message));
                    own.forEach(feed -> add(batches, feed, change.key(), encoded));
                }
            }
        }
        for (var change : commit.changes(tables.endpoints())) {
            stores.of(change.key().group()).forEach(feed -> add(batches, feed, change.key(), seen(change, feed)));
        }
        var gone = goneWaypoints(commit);
        batches.forEach((feed, batch) -> {
            if (gone.contains(feed.group())) {
                dismissed.merge(feed, batch, ResourceBatch::followedBy);
            } else {
                var left = Optional.ofNullable(dismissed.remove(feed));
                publish(
                        feed.group(),
                        stores.store(feed),
                        left.map(old -> old.followedBy(batch)).orElse(batch));
            }
        });
        for (var change : commit.changes(tables.groups())) {
            if (change.current().isEmpty()) {
                release(change.key());
            }
        }
    }

    /// Their proxies keep what they have until [#dismiss], if somebody cares for those who still send there.
    private Set<ObjectKey> goneWaypoints(Commit commit) {
        return keeping == FormerWaypoints.Keeping.NOT_AT_ALL
                ? Set.of()
                : commit.changes(tables.groups()).stream()
                        .filter(change -> change.current().isEmpty())
                        .filter(change -> change.previous()
                                .filter(group -> group.proxies().role() == ProxyRole.WAYPOINT)
                                .isPresent())
                        .map(Change::key)
                        .collect(Collectors.toSet());
    }

    /// The groups that are gone and whose proxies have not been told.
    public synchronized Set<ObjectKey> departing() {
        return dismissed.keySet().stream().map(FeedStores.Key::group).collect(Collectors.toSet());
    }

    /// Nobody sends to their proxies any more.
    public synchronized void dismiss(Set<ObjectKey> groups) {
        var feeds = dismissed.keySet().stream()
                .filter(feed -> groups.contains(feed.group()))
                .toList();
        for (var feed : feeds) {
            var batch = dismissed.remove(feed);
            if (batch != null && stores.of(feed.group()).contains(feed)) {
                publish(feed.group(), stores.store(feed), batch);
            }
        }
    }

    /// What the proxies of a group are fed from.
    public synchronized List<ResourceStore> feeds(ObjectKey group) {
        return stores.of(group).stream().map(stores::store).toList();
    }

    /// What waypoints are told to serve.
    public WaypointOffers offers() {
        return tables.offers();
    }

    /// Which waypoints services and workloads went through.
    public FormerWaypoints former() {
        return tables.former();
    }

    /// Whoever looks at an answer waits for the end of this: see [#group(ResourceStore)].
    private synchronized void publish(ObjectKey group, ResourceStore store, ResourceBatch batch) {
        var sequence = store.publish(batch).sequence();
        refusals.published(group, store, sequence, batch);
    }

    private synchronized Optional<ObjectKey> group(ResourceStore store) {
        return stores.group(store);
    }

    /// Nobody will come back to them.
    private void release(ObjectKey group) {
        dismissed.keySet().removeIf(feed -> feed.group().equals(group) && !stores.isUsed(feed));
        stores.release(group).forEach(refusals::forget);
        if (stores.of(group).isEmpty()) {
            refusals.forget(group);
        }
    }

    private static Optional<XdsResource> seen(
            Change<ResourceKey, Map<ProxyLocation, Encoded>> change, FeedStores.Key feed) {
        return change.current().flatMap(sets -> seen(sets, feed));
    }

    private static Optional<XdsResource> seen(Map<ProxyLocation, Encoded> sets, FeedStores.Key feed) {
        return Optional.ofNullable(sets.get(feed.vantage())).map(Encoded::resource);
    }

    private static void add(
            Map<FeedStores.Key, ResourceBatch> batches,
            FeedStores.Key feed,
            ResourceKey key,
            Optional<XdsResource> resource) {
        var batch = batches.computeIfAbsent(feed, _ -> new ResourceBatch());
        resource.ifPresentOrElse(own -> batch.put(key.type(), own), () -> batch.remove(key.type(), key.name()));
    }

    /// Keys are; what ConfigMaps hold is for everybody.
    @Override
    public boolean isConfidential(XdsType type, String name) {
        return type.equals(XdsType.SECRET) && !name.startsWith(CONFIG_MAP) && !name.equals(TrustSecret.NAME);
    }

    /// Keys of a Gateway are for the account that its proxies run with, as far as that is known.
    @Override
    public boolean isKeptFrom(ClientNode client, XdsType type, String name) {
        return isConfidential(type, name)
                && group(client)
                        .flatMap(group -> flow.cut().of(tables.accounts()).find(group))
                        .filter(accounts -> !accounts.contains(client.metadata().getOrDefault("SERVICE_ACCOUNT", "")))
                        .isPresent();
    }

    /// The Secrets and ConfigMaps that proxies need: whoever reads manifests has to bring them.
    public Set<ManifestId> needed(Cut cut) {
        var result = new HashSet<ManifestId>();
        cut.of(tables.neededObjects()).forEach((object, _) -> result.add(object));
        return result;
    }

    /// Whether others are needed than before.
    public boolean changesNeeds(Commit commit) {
        return !commit.changes(tables.neededObjects()).isEmpty();
    }

    /// A waypoint or gateway names its Gateway in a label of its pod; other gateways are known by all of their labels.
    @Override
    public synchronized Optional<ResourceStore> feed(ClientNode client) {
        return group(client).map(group -> stores.join(new FeedStores.Key(group, vantage(group, client)), this::fill));
    }

    @Override
    public synchronized void left(ResourceStore feed) {
        var group = stores.leave(feed);
        if (flow.cut().of(tables.groups()).find(group).isEmpty()) {
            release(group);
        }
    }

    /// How many stores there are.
    synchronized int stores() {
        return stores.size();
    }

    private Optional<ObjectKey> group(ClientNode client) {
        var cluster = client.clusterId().isEmpty() ? clusterId : client.clusterId();
        var gateway = Optional.ofNullable(client.labels().get(Groups.GATEWAY_NAME))
                .map(name -> new ObjectKey(cluster, client.namespace(), name));
        return switch (client.type()) {
            case WAYPOINT -> gateway;
            case ROUTER ->
                gateway.or(() -> client.labels().isEmpty()
                        ? Optional.empty()
                        : Optional.of(SelectedProxies.key(cluster, client.namespace(), client.labels())));
            case SIDECAR, ZTUNNEL -> Optional.empty();
        };
    }

    @Override
    public void accepted(ResourceStore feed, Verdict verdict) {
        refusals.accepted(feed, verdict);
    }

    @Override
    public void refused(ResourceStore feed, Verdict verdict, String error) {
        refusals.refused(feed, verdict, error);
    }

    @Override
    public void close() {
        refusals.close();
    }

    private ProxyLocation vantage(ObjectKey group, ClientNode client) {
        var places = flow.cut().of(tables.vantages()).find(group).orElse(Map.of());
        var pod = client.proxy().substring(0, Math.max(0, client.proxy().lastIndexOf('.')));
        var place = places.get(group.cluster() + "//Pod/" + client.namespace() + "/" + pod);
        return place != null ? place : places.getOrDefault("", ProxyLocation.on(""));
    }

    private ResourceStore fill(FeedStores.Key feed) {
        var batch = new ResourceBatch();
        var cut = flow.cut();
        for (var table : tables.messages()) {
            cut.of(table).forEach((key, message) -> {
                if (key.group().equals(feed.group())) {
                    batch.put(key.type(), XdsResource.of(key.name(), message));
                }
            });
        }
        cut.of(tables.endpoints()).forEach((key, sets) -> {
            if (key.group().equals(feed.group())) {
                seen(sets, feed).ifPresent(resource -> batch.put(key.type(), resource));
            }
        });
        var store = new ResourceStore(clock);
        publish(feed.group(), store, batch);
        return store;
    }
}
