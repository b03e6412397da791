package io.fathom.control.deploy;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.deploy.GatewayObject.ParametersRef;
import io.fathom.control.deploy.PlannedObject.ObjectName;
import io.fathom.wire.kube.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.GatewayManifest.Listener;
import io.fathom.wire.kube.GatewayManifest.Tls;
import io.fathom.wire.pki.Pem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// All that Gateways depend on, reduced to what counts. Whatever changes names the targets to look at again.
///
/// Not for several threads: [GatewayWatches] guards it.
final class GatewayWorld implements Certificates {
    private final DeploySettings settings;
    private final Predicate<Optional<String>> ourRevision;
    private final Map<Target, GatewayObject> gateways = new HashMap<>();
    private final Map<String, ClassView> classes = new HashMap<>();
    private final Map<String, String> namespaceRevisions = new HashMap<>();
    private final Map<ObjectName, Owned> owned = new HashMap<>();
    private final Map<Target, Set<String>> readyPods = new HashMap<>();
    private final Map<Target, Target> gatewayOfPod = new HashMap<>();
    private final Map<String, ClassDefaults> defaults = new TreeMap<>();
    private final Map<Target, Optional<Map<String, String>>> parameters = new HashMap<>();
    private final Map<Target, Optional<String>> secrets = new HashMap<>();
    private final Map<Target, Grant> grants = new HashMap<>();
    private final Map<Target, ListenerSetObject> listenerSets = new HashMap<>();
    private final Map<String, Map<String, String>> namespaceLabels = new HashMap<>();
    private String network;
    private Reading certificateReading = Reading.UNDER_WAY;
    private Optional<Problem> certificateTrouble = Optional.empty();

    /// Whether something has been read once.
    enum Reading {
        UNDER_WAY,
        DONE
    }

    /// A ConfigMap with overlays for all Gateways of a class.
    record ClassDefaults(String className, String created, Map<String, String> data) {}

    /// @param ourRevision whether an object with that label `istio.io/rev`, or with none, is for us
    GatewayWorld(DeploySettings settings, Predicate<Optional<String>> ourRevision) {
        this.settings = settings;
        this.ourRevision = ourRevision;
        this.network = settings.network();
    }

    // What is asked.

    Optional<GatewayObject> gateway(Target target) {
        return Optional.ofNullable(gateways.get(target));
    }

    Optional<ClassView> gatewayClass(String name) {
        return Optional.ofNullable(classes.get(name));
    }

    Optional<GatewayProfile> profile(GatewayObject gateway) {
        return GatewayProfile.of(
                gateway.className(), gatewayClass(gateway.className()).map(ClassView::controller));
    }

    /// Whether the Gateway, or else its namespace, is labelled for our revision or for a tag that points to it.
    boolean isOurs(GatewayObject gateway) {
        return ourRevision.test(Optional.ofNullable(gateway.labels().get(Words.REVISION))
                .or(() -> Optional.ofNullable(namespaceRevisions.get(gateway.namespace()))));
    }

    String network() {
        return network;
    }

    Map<ObjectName, Owned> ownedBy(Target gateway) {
        var some = new HashMap<ObjectName, Owned>();
        owned.forEach((name, object) -> {
            if (gateway.equals(new Target(name.namespace(), object.gateway()))) {
                some.put(name, object);
            }
        });
        return some;
    }

    Optional<Owned> owned(ObjectName name) {
        return Optional.ofNullable(owned.get(name));
    }

    boolean hasReadyPod(Target gateway) {
        return readyPods.containsKey(gateway);
    }

    /// The overlays of a Gateway in their order. Empty while a ConfigMap that it names has not been looked for yet.
    ///
    /// @throws ProblemException when one cannot be used
    Optional<List<Overlay>> overlays(GatewayObject gateway) {
        var overlays = new ArrayList<Overlay>();
        var oldest = defaults.entrySet().stream()
                .filter(entry -> entry.getValue().className().equals(gateway.className()))
                .min(Comparator.<Map.Entry<String, ClassDefaults>, String>comparing(
                                entry -> entry.getValue().created())
                        .thenComparing(Map.Entry::getKey));
        oldest.ifPresent(entry -> overlays.add(Overlay.parse(
                "ConfigMap " + settings.systemNamespace() + "/" + entry.getKey(),
                entry.getValue().data())));
        var reference = gateway.infrastructure().parameters();
        if (reference.isPresent()) {
            var own = parameters(gateway, reference.get());
            if (own.isEmpty()) {
                return Optional.empty();
            }
            overlays.add(own.get());
        }
        return Optional.of(overlays);
    }

    private Optional<Overlay> parameters(GatewayObject gateway, ParametersRef reference) {
        if (!reference.isConfigMap()) {
            throw Overlay.problem(
                    "spec.infrastructure.parametersRef names a " + reference.kind(), "name a ConfigMap, of group \"\"");
        }
        var known = parameters.get(new Target(gateway.namespace(), reference.name()));
        if (known == null) {
            return Optional.empty();
        }
        var source = "ConfigMap " + gateway.namespace() + "/" + reference.name();
        var data = known.orElseThrow(() ->
                Overlay.problem("there is no " + source + ", which parametersRef names", "create it, or name another"));
        return Optional.of(Overlay.parse(source, data));
    }

    /// The ListenerSets that want to add to a Gateway, allowed or not.
    List<ListenerSetObject> listenerSets(Target gateway) {
        return listenerSets.values().stream()
                .filter(set -> set.gateway().equals(gateway))
                .sorted(ListenerSetObject.IMPORTANT_FIRST)
                .toList();
    }

    boolean allows(GatewayObject gateway, ListenerSetObject set) {
        var namespace = set.manifest().namespace();
        return gateway.allowedListeners()
                .permits(
                        gateway.namespace(),
                        namespace,
                        () -> namespaceLabels.getOrDefault(
                                namespace, Map.of("kubernetes.io/metadata.name", namespace)));
    }

    @Override
    public Verdict judge(Referrer from, CertificateRef reference) {
        if (!reference.group().isEmpty() || !reference.kind().equals("Secret")) {
            return new Verdict.Invalid("a certificate and its key are in a Secret, not in a " + reference.kind());
        }
        var secret = objectOf(from.namespace(), reference);
        if (!isPermitted(from, "Secret", secret)) {
            return forbidden(from, "Secret", secret);
        }
        var fault = secrets.get(secret);
        if (fault == null && certificateReading == Reading.UNDER_WAY) {
            return new Verdict.Invalid("Secret " + secret + " has not been read: "
                    + certificateTrouble.map(Problem::toString).orElse("not yet"));
        }
        if (fault == null) {
            return new Verdict.Invalid("there is no Secret " + secret + " of type kubernetes.io/tls");
        }
        return fault.<Verdict>map(why -> new Verdict.Invalid("Secret " + secret + " is no certificate: " + why))
                .orElseGet(Verdict.Good::new);
    }

    /// ConfigMaps are looked into; Secrets are not, and a proxy that does not get one refuses clients.
    @Override
    public Verdict judgeAuthority(Referrer from, CertificateRef reference) {
        var isConfigMap = isConfigMap(reference);
        if (!isConfigMap && !(reference.group().isEmpty() && reference.kind().equals("Secret"))) {
            return new Verdict.WrongKind("CA certificates are in ConfigMaps, not in a " + reference.kind());
        }
        var object = objectOf(from.namespace(), reference);
        if (!isPermitted(from, reference.kind(), object)) {
            return forbidden(from, reference.kind(), object);
        }
        if (!isConfigMap) {
            return new Verdict.Good();
        }
        var data = parameters.getOrDefault(object, Optional.empty());
        if (data.isEmpty()) {
            return new Verdict.Invalid("there is no ConfigMap " + object);
        }
        try {
            Pem.certificates(data.get().getOrDefault("ca.crt", ""));
            return new Verdict.Good();
        } catch (ProblemException e) {
            return new Verdict.Invalid(
                    "ca.crt of ConfigMap " + object + ": " + e.problem().message());
        }
    }

    private boolean isPermitted(Referrer from, String kind, Target object) {
        return object.namespace().equals(from.namespace())
                || grants.entrySet().stream()
                        .anyMatch(entry -> entry.getKey().namespace().equals(object.namespace())
                                && entry.getValue().permits(from, kind, object.name()));
    }

    private static Verdict forbidden(Referrer from, String kind, Target object) {
        return new Verdict.Forbidden("no ReferenceGrant in namespace " + object.namespace() + " lets " + from.kind()
                + "s of " + from.namespace() + " use " + kind + " " + object);
    }

    private static boolean isConfigMap(CertificateRef reference) {
        return reference.group().isEmpty() && reference.kind().equals("ConfigMap");
    }

    private static Target objectOf(String namespace, CertificateRef reference) {
        return new Target(reference.namespaceFor(namespace), reference.name());
    }

    /// The ConfigMaps that Gateways name.
    Set<Target> wantedParameters() {
        var wanted = new HashSet<Target>();
        gateways.values()
                .forEach(gateway -> gateway.infrastructure()
                        .parameters()
                        .filter(ParametersRef::isConfigMap)
                        .ifPresent(reference -> wanted.add(new Target(gateway.namespace(), reference.name()))));
        gateways.values().forEach(gateway -> wanted.addAll(authorities(gateway)));
        return wanted;
    }

    /// ConfigMaps with CA certificates.
    private static Set<Target> authorities(GatewayObject gateway) {
        return gateway.tls()
                .validations()
                .flatMap(validation -> validation.authorities().stream())
                .filter(GatewayWorld::isConfigMap)
                .map(reference -> objectOf(gateway.namespace(), reference))
                .collect(Collectors.toSet());
    }

    void certificatesAre(Reading reading, Optional<Problem> trouble) {
        certificateReading = reading;
        certificateTrouble = trouble;
    }

    /// Whether its listeners can be judged now; what hinders for long is to be told.
    boolean canJudge(GatewayObject gateway) {
        return parameters.keySet().containsAll(authorities(gateway))
                && (certificateReading == Reading.DONE
                        || certificateTrouble.isPresent()
                        || !refersToCertificates(gateway));
    }

    private boolean refersToCertificates(GatewayObject gateway) {
        return !certificates(gateway).isEmpty() || !authorities(gateway).isEmpty();
    }

    boolean wantsCertificates() {
        return gateways.values().stream().anyMatch(this::refersToCertificates);
    }

    /// Those of its own, and of all who want to add to it.
    private Set<Target> certificates(GatewayObject gateway) {
        var wanted = new HashSet<Target>();
        gateway.tls().backend().ifPresent(reference -> wanted.add(objectOf(gateway.namespace(), reference)));
        certificates(gateway.namespace(), gateway.listeners(), wanted);
        for (var set : listenerSets(new Target(gateway.namespace(), gateway.name()))) {
            certificates(set.manifest().namespace(), set.manifest().listeners(), wanted);
        }
        return wanted;
    }

    private static void certificates(String namespace, List<Listener> listeners, Set<Target> wanted) {
        for (var listener : listeners) {
            listener.tls()
                    .map(Tls::certificates)
                    .orElse(List.of())
                    .forEach(reference -> wanted.add(objectOf(namespace, reference)));
        }
    }

    /// Everything: all Gateways, all classes, and those that should be there.
    Set<Target> all() {
        var all = new LinkedHashSet<Target>();
        classes.keySet().forEach(name -> all.add(Target.ofClass(name)));
        for (var profile : GatewayProfile.values()) {
            all.add(Target.ofClass(profile.className()));
        }
        all.addAll(gateways.keySet());
        return all;
    }

    // What happens. Each returns what to look at again.

    Set<Target> put(Target target, Optional<GatewayObject> gateway) {
        var before = gateway.isPresent() ? gateways.put(target, gateway.get()) : gateways.remove(target);
        return gateway.equals(Optional.ofNullable(before)) ? Set.of() : Set.of(target);
    }

    Set<Target> putListenerSet(Target target, Optional<ListenerSetObject> set) {
        var before = Optional.ofNullable(
                set.isPresent() ? listenerSets.put(target, set.get()) : listenerSets.remove(target));
        if (before.equals(set)) {
            return Set.of();
        }
        return Stream.concat(before.stream(), set.stream())
                .map(ListenerSetObject::gateway)
                .filter(gateways::containsKey)
                .collect(Collectors.toSet());
    }

    Set<Target> putClass(String name, Optional<ClassView> found) {
        var before = Optional.ofNullable(found.isPresent() ? classes.put(name, found.get()) : classes.remove(name));
        var touched = new HashSet<>(Set.of(Target.ofClass(name)));
        if (!before.map(ClassView::controller).equals(found.map(ClassView::controller))) {
            touched.addAll(where(gateway -> gateway.className().equals(name)));
        }
        return touched;
    }

    Set<Target> putNamespace(String name, Optional<Map<String, String>> labels) {
        var revision = labels.map(all -> all.get(Words.REVISION)).orElse("");
        var before = revision.isEmpty() ? namespaceRevisions.remove(name) : namespaceRevisions.put(name, revision);
        var oldLabels = Optional.ofNullable(
                labels.isPresent() ? namespaceLabels.put(name, labels.get()) : namespaceLabels.remove(name));
        if (name.equals(settings.systemNamespace())) {
            var now = labels.map(all -> all.get(Words.NETWORK)).orElse(settings.network());
            if (!now.equals(network)) {
                network = now;
                return where(_ -> true);
            }
        }
        var touched = new HashSet<Target>();
        if (!oldLabels.equals(labels)) {
            listenerSets.values().stream()
                    .filter(set -> set.manifest().namespace().equals(name))
                    .map(ListenerSetObject::gateway)
                    .filter(gateways::containsKey)
                    .forEach(touched::add);
        }
        if (!revision.equals(before == null ? "" : before)) {
            touched.addAll(where(gateway -> gateway.namespace().equals(name)));
        }
        return touched;
    }

    Set<Target> putOwned(ObjectName name, Optional<Owned> object) {
        var before = Optional.ofNullable(object.isPresent() ? owned.put(name, object.get()) : owned.remove(name));
        var touched = new HashSet<Target>();
        if (!before.equals(object)) {
            before.ifPresent(old -> touched.add(new Target(name.namespace(), old.gateway())));
            object.ifPresent(now -> touched.add(new Target(name.namespace(), now.gateway())));
        }
        touched.retainAll(gateways.keySet());
        return touched;
    }

    /// @param gateway whose pod it is, if it is ready
    Set<Target> putPod(Target pod, Optional<Target> gateway) {
        var before = Optional.ofNullable(
                gateway.isPresent() ? gatewayOfPod.put(pod, gateway.get()) : gatewayOfPod.remove(pod));
        if (before.equals(gateway)) {
            return Set.of();
        }
        var touched = new HashSet<Target>();
        before.ifPresent(old -> {
            var pods = readyPods.getOrDefault(old, new HashSet<>());
            pods.remove(pod.name());
            if (pods.isEmpty()) {
                readyPods.remove(old);
                touched.add(old);
            }
        });
        gateway.ifPresent(now -> {
            if (readyPods.computeIfAbsent(now, _ -> new HashSet<>()).add(pod.name())) {
                touched.add(now);
            }
        });
        return touched;
    }

    Set<Target> putDefaults(String name, Optional<ClassDefaults> found) {
        var before = Optional.ofNullable(found.isPresent() ? defaults.put(name, found.get()) : defaults.remove(name));
        var names = new HashSet<String>();
        before.ifPresent(old -> names.add(old.className()));
        found.ifPresent(now -> names.add(now.className()));
        return before.equals(found) ? Set.of() : where(gateway -> names.contains(gateway.className()));
    }

    /// @param data empty when there is no such ConfigMap
    Set<Target> putParameters(Target configMap, Optional<Map<String, String>> data) {
        var before = parameters.put(configMap, data);
        return data.equals(before)
                ? Set.of()
                : where(gateway -> authorities(gateway).contains(configMap)
                        || (gateway.namespace().equals(configMap.namespace())
                                && gateway.infrastructure()
                                        .parameters()
                                        .filter(reference -> reference.name().equals(configMap.name()))
                                        .isPresent()));
    }

    /// Nobody names it any more.
    void forgetParameters(Target configMap) {
        parameters.remove(configMap);
    }

    Set<Target> putSecret(Target secret, Optional<String> fault) {
        var before = secrets.put(secret, fault);
        return fault.equals(before)
                ? Set.of()
                : where(gateway -> certificates(gateway).contains(secret));
    }

    Set<Target> removeSecret(Target secret) {
        secrets.remove(secret);
        return where(gateway -> certificates(gateway).contains(secret));
    }

    Set<Target> putGrant(Target name, Optional<Grant> grant) {
        var before = Optional.ofNullable(grant.isPresent() ? grants.put(name, grant.get()) : grants.remove(name));
        return before.equals(grant)
                ? Set.of()
                : where(gateway -> Stream.concat(certificates(gateway).stream(), authorities(gateway).stream())
                        .anyMatch(object -> object.namespace().equals(name.namespace())));
    }

    private Set<Target> where(Predicate<GatewayObject> condition) {
        var found = new HashSet<Target>();
        gateways.forEach((target, gateway) -> {
            if (condition.test(gateway)) {
                found.add(target);
            }
        });
        return found;
    }
}
