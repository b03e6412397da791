package io.fathom.tools.local;

import io.fathom.tools.local.ReplicaPlanner.Readiness;
import io.fathom.tools.local.ReplicaPlanner.Replica;
import io.fathom.wire.kube.ManifestProblem;
import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.folder.ProblemFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
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
        this.folder = new UserFolder(config.manifests(), gateways(config, programs));
        this.addresses = new ServiceAddresses(slot);
        this.balancers = new LoadBalancers(slot);
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
                        programs.ports().tls()));
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
                                        .filter(pod -> pod.state().ready()
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
        return pods.size() + " pods of " + declared.deployments().size() + " Deployments are ready";
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
        pods.values().removeIf(pod -> pod.state().phase() == PodState.Phase.GONE);
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
            create(deployment);
        }
        for (var name : plan.stop()) {
            var pod = pods.get(deployment.namespace() + "/" + name);
            if (pod != null) {
                pod.stop();
            }
        }
    }

    private void create(Deployment deployment) {
        var template = deployment.template();
        var node = Placement.choose(loads(), deployment.key());
        var suffix = random.ints(5, 0, LETTERS.length())
                .mapToObj(i -> LETTERS.substring(i, i + 1))
                .collect(Collectors.joining());
        var facts = new PodFacts(
                deployment.namespace(),
                deployment.name() + "-" + template.hash() + "-" + suffix,
                UUID.randomUUID().toString(),
                deployment.key(),
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
        var now = new HashMap<String, List<String>>();
        now.put(ClusterNames.of("istiod", "istio-system"), List.of(slot.machine()));
        declared.services().forEach((name, service) -> {
            var ips = switch (service.clusterIp()) {
                case "None" -> endpoints(name.namespace(), service.selector());
                case "" -> List.of(addresses.of(name));
                default -> List.of(service.clusterIp());
            };
            now.put(ClusterNames.of(name.name(), name.namespace()), ips);
        });
        return new ClusterNames(now);
    }

    private List<String> endpoints(String namespace, Map<String, String> selector) {
        return pods.values().stream()
                .filter(pod -> pod.state().ready()
                        && pod.facts().namespace().equals(namespace)
                        && !selector.isEmpty()
                        && pod.facts().template().labels().entrySet().containsAll(selector.entrySet()))
                .map(pod -> pod.facts().ip())
                .sorted()
                .toList();
    }
}
