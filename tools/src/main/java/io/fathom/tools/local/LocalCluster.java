// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.tools.local.dns.ClusterNames;
import io.fathom.tools.local.dns.ClusterNames.Meaning;
import io.fathom.tools.local.folder.Declared;
import io.fathom.tools.local.folder.Deployment;
import io.fathom.tools.local.folder.GatewayReader;
import io.fathom.tools.local.folder.NamedReplicaPlanner;
import io.fathom.tools.local.folder.NamedReplicaPlanner.Named;
import io.fathom.tools.local.folder.NamedReplicaPlanner.ReplicaCondition;
import io.fathom.tools.local.folder.Placement;
import io.fathom.tools.local.folder.ReplicaPlanner;
import io.fathom.tools.local.folder.ReplicaPlanner.Readiness;
import io.fathom.tools.local.folder.ReplicaPlanner.Replica;
import io.fathom.tools.local.folder.UserFolder;
import io.fathom.tools.local.net.LoadBalancers;
import io.fathom.tools.local.net.ServiceAddresses;
import io.fathom.tools.local.net.ServiceForwarder;
import io.fathom.tools.local.net.ServiceRules;
import io.fathom.tools.local.net.ServiceRules.Forwarding;
import io.fathom.tools.local.net.Slot;
import io.fathom.tools.local.pod.Kubelet;
import io.fathom.tools.local.pod.LocalPod;
import io.fathom.tools.local.pod.Membership;
import io.fathom.tools.local.pod.PodFacts;
import io.fathom.tools.local.pod.PodObject;
import io.fathom.tools.local.pod.PodState;
import io.fathom.tools.local.run.LogFiles;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.folder.ProblemFile;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes the pods and Service addresses that the folder asks for, and keeps it so. One thread reconciles; the other
/// methods may be called by any thread.
final class LocalCluster {
    private static final Logger log = LoggerFactory.getLogger(LocalCluster.class);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final long LOG_BYTES = 8 << 20;
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789"; // as Kubernetes: no words, no lookalikes

    private final EngineConfig config;
    private final Kubelet kubelet;
    private final Slot slot;
    private final UserFolder folder;
    private final ServiceAddresses addresses;
    private final LoadBalancers balancers;
    private final ServiceForwarder forwarder;
    private final NewServices newServices = new NewServices();
    private final StatusFile status;
    private final LogFiles logs;
    private final Map<String, LocalPod> pods = new ConcurrentHashMap<>();
    private final Map<ObjectName, String> written = new HashMap<>();
    private final Map<String, String> balanced = new ConcurrentHashMap<>();
    private final int[] lastPod;
    private final Semaphore changed = new Semaphore(0);
    private final RandomGenerator random = RandomGenerator.getDefault();
    private int created;
    private volatile Declared declared = Declared.NOTHING;
    private volatile ClusterNames names = new ClusterNames(Map.of());
    private volatile boolean begun;

    LocalCluster(EngineConfig config, Kubelet kubelet, Programs programs) {
        this.config = config;
        this.kubelet = kubelet;
        this.slot = kubelet.network().slot();
        this.folder = new UserFolder(config.folders(), gateways(config, programs), number(config));
        this.addresses = new ServiceAddresses(slot);
        this.balancers = new LoadBalancers(slot);
        this.forwarder = new ServiceForwarder(kubelet.network());
        this.lastPod = new int[config.nodes().size()];
        this.status = new StatusFile(config, programs);
        this.logs = new LogFiles(config.run().logs(), LOG_BYTES);
    }

    private static Optional<GatewayReader> gateways(EngineConfig config, Programs programs) {
        return config.envoy()
                .map(envoy -> new GatewayReader(
                        config.bin().resolve("fathom-proxy").toString(),
                        Map.of(
                                "FATHOM_BUILD",
                                "skip",
                                "FATHOM_JAVA",
                                config.java().toString(),
                                "FATHOM_ENVOY",
                                envoy.toString()),
                        programs.ports().tls(),
                        config.role().map(ClusterRole::id).orElse("Kubernetes"),
                        config.role().map(ClusterRole::network).orElse("")));
    }

    private static OptionalInt number(EngineConfig config) {
        return config.role().map(role -> OptionalInt.of(role.number())).orElse(OptionalInt.empty());
    }

    /// The keys of the Deployments and the like.
    Set<String> workloads() {
        return Set.copyOf(declared.deployments().keySet());
    }

    /// Where clients of the machine reach each Service of type LoadBalancer.
    Map<String, String> balanced() {
        return Map.copyOf(balanced);
    }

    ClusterNames names() {
        return names;
    }

    List<ManifestProblem> problems() {
        return declared.problems();
    }

    /// Whether there is everything that was asked for.
    boolean isReady() {
        return begun
                && declared.deployments().values().stream()
                        .allMatch(deployment -> of(deployment).stream()
                                        .filter(pod -> (pod.state().ready()
                                                        || pod.state().isOver())
                                                && pod.facts()
                                                        .template()
                                                        .hash()
                                                        .equals(deployment
                                                                .template()
                                                                .hash()))
                                        .count()
                                >= deployment.replicas());
    }

    String summary() {
        return pods.size() + " pods are ready";
    }

    void reconcileForEver() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                reconcile();
                var _ = changed.tryAcquire(LOOK.toNanos(), TimeUnit.NANOSECONDS);
                changed.drainPermits();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException | RuntimeException e) {
                log.atError().setCause(e).log("reconciling failed");
            }
        }
    }

    private void reconcile() throws IOException {
        folder.poll().ifPresent(this::take);
        pods.values().removeIf(pod -> pod.state().phase() == PodState.LocalPodPhase.GONE);
        for (var deployment : declared.deployments().values()) {
            scale(deployment);
        }
        for (var pod : pods.values()) {
            if (!declared.deployments().containsKey(pod.facts().deployment())) {
                pod.stop();
            }
        }
        showGateways();
        begun = true;
        forwarder.forward(forwardings());
        names = currentNames();
        status.write(List.copyOf(pods.values()));
        logs.trimNowAndThen();
    }

    private void take(Declared next) {
        next.problems()
                .forEach(problem -> log.atWarn().addKeyValue("problem", problem).log("cannot be played"));
        tell(next.problems());
        addresses.retain(next.services().keySet());
        balancers.retain(next.services().keySet());
        balanced.keySet()
                .retainAll(next.services().keySet().stream()
                        .map(LocalCluster::title)
                        .toList());
        var wanted = new HashMap<ObjectName, String>();
        next.namespaces().forEach((name, namespace) -> wanted.put(name, namespace.json()));
        next.services()
                .forEach((name, service) -> wanted.put(
                        name,
                        service.clusterIp().isEmpty()
                                ? PodObject.service(service.json(), addresses.of(name), balancer(name, service))
                                : service.json()));
        for (var gone : Set.copyOf(written.keySet())) {
            if (!wanted.containsKey(gone) && !next.gateways().containsKey(gone)) {
                var _ = kubelet.objects().delete(gone);
                written.remove(gone);
            }
        }
        wanted.forEach((name, json) -> {
            if (!json.equals(written.put(name, json))) {
                kubelet.objects().put(json);
            }
        });
        declared = next;
    }

    /// The control plane shows them with its own.
    private void tell(List<ManifestProblem> problems) {
        try {
            ProblemFile.in(kubelet.objects().folder()).write(problems);
        } catch (IOException e) {
            log.atWarn().setCause(e).log("problems are not told");
        }
    }

    private Optional<String> balancer(ObjectName name, Declared.Service service) {
        if (service.balanced().isEmpty()) {
            return Optional.empty();
        }
        var address = balancers.of(name, service.balanced(), () -> endpoints(name.namespace(), service.selector()));
        balanced.put(title(name), address);
        return Optional.of(address);
    }

    private static String title(ObjectName name) {
        return name.namespace() + "/" + name.name();
    }

    /// A Gateway gets its addresses once a proxy of it is ready, and keeps them.
    private void showGateways() {
        declared.gateways().forEach((name, played) -> {
            var service = declared.services().get(played.service());
            var ready =
                    of(played.deployment()).stream().anyMatch(pod -> pod.state().ready());
            if (service == null || !(ready || written.containsKey(name))) {
                return;
            }
            var host = ClusterNames.of(played.service().name(), played.service().namespace());
            var json = switch (played.reach()) {
                case INSIDE -> PodObject.gateway(played.json(), List.of(addresses.of(played.service())), List.of(host));
                case LOAD_BALANCER ->
                    PodObject.gateway(
                            played.json(),
                            Optional.ofNullable(balanced.get(title(played.service()))).stream()
                                    .toList(),
                            List.of());
            };
            if (!json.equals(written.put(name, json))) {
                kubelet.objects().put(json);
            }
        });
    }

    private List<LocalPod> of(Deployment deployment) {
        return pods.values().stream()
                .filter(pod -> pod.facts().deployment().equals(deployment.key()))
                .filter(pod -> !pod.isStopping())
                .toList();
    }

    private void scale(Deployment deployment) {
        switch (deployment.kind()) {
            case DEPLOYMENT -> scaleByNumber(deployment);
            case STATEFUL_SET, PARALLEL_STATEFUL_SET, POD -> scaleByName(deployment);
        }
    }

    private void scaleByName(Deployment deployment) {
        var there = pods.values().stream()
                .filter(pod -> pod.facts().deployment().equals(deployment.key()))
                .sorted(Comparator.comparingInt(pod -> pod.facts().order()))
                .map(pod -> new Named(pod.facts().name(), pod.facts().template().hash(), condition(pod)))
                .toList();
        var plan = NamedReplicaPlanner.plan(
                deployment.kind(), deployment.podNames(), deployment.template().hash(), there);
        for (var name : plan.start()) {
            if (!pods.containsKey(deployment.namespace() + "/" + name)) { // else another's of that name has to go first
                create(deployment, name);
            }
        }
        stop(deployment, plan.stop());
    }

    private static ReplicaCondition condition(LocalPod pod) {
        if (pod.isStopping()) {
            return ReplicaCondition.LEAVING;
        }
        return pod.state().ready() ? ReplicaCondition.READY : ReplicaCondition.NOT_READY;
    }

    private void scaleByNumber(Deployment deployment) {
        var there = of(deployment).stream()
                .map(pod -> new Replica(
                        pod.facts().name(),
                        pod.facts().template().hash(),
                        pod.state().ready() ? Readiness.READY : Readiness.NOT_READY,
                        pod.facts().order()))
                .toList();
        var plan =
                ReplicaPlanner.plan(deployment.replicas(), deployment.template().hash(), there);
        for (int i = 0; i < plan.start(); i++) {
            var suffix = random.ints(5, 0, LETTERS.length())
                    .mapToObj(letter -> LETTERS.substring(letter, letter + 1))
                    .collect(Collectors.joining());
            create(deployment, deployment.name() + "-" + deployment.template().hash() + "-" + suffix);
        }
        stop(deployment, plan.stop());
    }

    private void stop(Deployment deployment, List<String> names) {
        for (var name : names) {
            var pod = pods.get(deployment.namespace() + "/" + name);
            if (pod != null) {
                pod.stop();
            }
        }
    }

    private void create(Deployment deployment, String name) {
        var template = deployment.template();
        var node = Placement.choose(loads(), deployment.key());
        var facts = new PodFacts(
                deployment.namespace(),
                name,
                UUID.randomUUID().toString(),
                deployment.key(),
                deployment.kind(),
                template,
                node,
                config.nodes().get(node),
                address(node),
                ++created,
                Membership.of(declared.labels(deployment.namespace()), template.labels()));
        var pod = new LocalPod(facts, kubelet, changed::release);
        pods.put(facts.title(), pod);
        pod.start();
    }

    private List<List<String>> loads() {
        var loads = new ArrayList<List<String>>();
        config.nodes().forEach(_ -> loads.add(new ArrayList<>()));
        pods.values()
                .forEach(pod -> loads.get(pod.facts().node()).add(pod.facts().deployment()));
        return loads;
    }

    /// In turn, so that an address is not given to somebody else at once.
    private String address(int node) {
        var taken = new HashSet<String>();
        pods.values().forEach(pod -> taken.add(pod.facts().ip()));
        for (int tries = Slot.FIRST_POD; tries <= Slot.LAST; tries++) {
            lastPod[node] =
                    lastPod[node] < Slot.FIRST_POD || lastPod[node] >= Slot.LAST ? Slot.FIRST_POD : lastPod[node] + 1;
            var ip = slot.pod(node, lastPod[node]);
            if (!taken.contains(ip)) {
                return ip;
            }
        }
        throw new IllegalStateException("all pod addresses of " + config.nodes().get(node) + " are taken");
    }

    private ClusterNames currentNames() {
        var told = newServices.told(clusterIps(), System.nanoTime(), kubelet::knownToProxies);
        var now = new HashMap<String, Meaning>();
        now.put(ClusterNames.of("istiod", "istio-system"), new Meaning.Addresses(List.of(slot.machine())));
        declared.services().forEach((name, service) -> {
            var host = ClusterNames.of(name.name(), name.namespace());
            if (!service.alias().isEmpty()) {
                now.put(host, new Meaning.Alias(service.alias()));
            } else if (service.clusterIp().equals("None")) {
                now.put(host, new Meaning.Addresses(endpoints(name.namespace(), service.selector())));
                selected(name.namespace(), service.selector())
                        .forEach(pod -> now.put(pod.name() + "." + host, new Meaning.Addresses(List.of(pod.ip()))));
            } else if (told.contains(clusterIp(name, service))) {
                now.put(host, new Meaning.Addresses(List.of(clusterIp(name, service))));
            }
        });
        return new ClusterNames(now);
    }

    private Set<String> clusterIps() {
        var ips = new HashSet<String>();
        declared.services().forEach((name, service) -> {
            if (!service.clusterIp().equals("None")) {
                ips.add(clusterIp(name, service));
            }
        });
        return ips;
    }

    private List<Forwarding> forwardings() {
        var forwardings = new ArrayList<Forwarding>();
        declared.services().forEach((name, service) -> {
            if (!service.clusterIp().equals("None")) {
                for (var port : service.ports()) {
                    forwardings.add(new Forwarding(
                            clusterIp(name, service),
                            port.protocol(),
                            port.number(),
                            selected(name.namespace(), service.selector())
                                    .sorted(Comparator.comparing(PodFacts::ip))
                                    .flatMap(pod -> port.of(pod.template().ports()).stream()
                                            .map(number -> new ServiceRules.Pod(pod.ip(), number)))
                                    .toList()));
                }
            }
        });
        return forwardings;
    }

    private String clusterIp(ObjectName name, Declared.Service service) {
        return service.clusterIp().isEmpty() ? addresses.of(name) : service.clusterIp();
    }

    private List<String> endpoints(String namespace, Map<String, String> selector) {
        return selected(namespace, selector).map(PodFacts::ip).sorted().toList();
    }

    /// The pods of a Service that are ready.
    private Stream<PodFacts> selected(String namespace, Map<String, String> selector) {
        return pods.values().stream()
                .filter(pod -> pod.state().ready())
                .map(LocalPod::facts)
                .filter(pod -> pod.namespace().equals(namespace)
                        && !selector.isEmpty()
                        && pod.labels().entrySet().containsAll(selector.entrySet()));
    }
}
