// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.Remark;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Destination;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpAction;
import java.util.ArrayList;
import java.util.List;

/// What the author of a VirtualService should know: which of its requests nobody takes, and which of its rules nobody
/// comes to. Pure.
public final class VirtualServiceReview {
    private final VirtualServiceManifest owner;
    private final Destinations destinations;
    private final Names names;
    private final List<ObjectProblem> problems = new ArrayList<>();

    /// What else there is.
    public interface Names {
        /// Whether some DestinationRule has a subset of that name for a service.
        boolean isSubset(MeshService service, String subset);

        /// Whether there is a VirtualService `namespace/name` to delegate to.
        boolean isDelegate(String path);

        /// Whether there is a Gateway `namespace/name`.
        boolean isGateway(String path);
    }

    /// A destination and its field.
    private record Use(String field, Destination to) {}

    private VirtualServiceReview(VirtualServiceManifest owner, Destinations destinations, Names names) {
        this.owner = owner;
        this.destinations = destinations;
        this.names = names;
    }

    /// All that is wrong; empty when all is well.
    public static List<ObjectProblem> of(VirtualServiceManifest owner, Destinations destinations, Names names) {
        var review = new VirtualServiceReview(owner, destinations, names);
        review.gateways();
        review.destinations().forEach(review::destination);
        review.delegates();
        remarks(owner).forEach(remark -> review.problems.add(remark.about(ManifestId.of(owner))));
        return review.problems;
    }

    private void gateways() {
        for (var i = 0; i < owner.gateways().size(); i++) {
            var gateway = owner.gateways().get(i);
            if (!gateway.equals(VirtualServiceManifest.MESH) && !names.isGateway(path(gateway))) {
                problem(
                        "spec.gateways[" + i + "]",
                        "virtual-service-gateway",
                        "is for Gateway " + path(gateway) + ", which is not there",
                        "create it, or correct its name; a name without a slash means one of the same namespace");
            }
        }
    }

    private String path(String name) {
        return name.contains("/") ? name : owner.namespace() + "/" + name;
    }

    private void destination(Use use) {
        var to = use.to();
        var service = Backend.host(destinations, owner, to.host());
        if (service.isEmpty()
                || (to.port() != 0 && service.get().port(to.port()).isEmpty())) {
            problem(
                    use.field() + (service.isEmpty() ? ".host" : ".port"),
                    "virtual-service-destination",
                    "sends to " + (to.port() == 0 ? to.host() : to.host() + ":" + to.port())
                            + ", which no Service or ServiceEntry is",
                    "correct the host or the port; a name without dots means a Service of the same namespace");
        }
        if (service.isPresent() && !to.subset().isEmpty() && !names.isSubset(service.get(), to.subset())) {
            problem(
                    use.field() + ".subset",
                    "virtual-service-subset",
                    "sends to the subset " + to.subset() + " of " + to.host() + ", which no DestinationRule defines",
                    "add it to subsets of a DestinationRule for that host");
        }
    }

    private void delegates() {
        for (var i = 0; i < owner.http().size(); i++) {
            if (owner.http().get(i).action() instanceof HttpAction.Delegate delegate) {
                var path = delegate.namespace() + "/" + delegate.name();
                if (!names.isDelegate(path)) {
                    problem(
                            "spec.http[" + i + "].delegate",
                            "virtual-service-delegate",
                            "delegates to " + path + ", which is no VirtualService without hosts",
                            "create it, or correct its name");
                }
            }
        }
    }

    private void problem(String field, String code, String what, String fix) {
        var object = ManifestId.of(owner);
        problems.add(ObjectProblem.error(object, field, Problem.ofInput(code, object + " " + what, fix)));
    }

    private List<Use> destinations() {
        var uses = new ArrayList<Use>();
        for (var i = 0; i < owner.http().size(); i++) {
            var rule = owner.http().get(i);
            var field = "spec.http[" + i + "]";
            if (rule.action() instanceof HttpAction.Forward(var to, var _)) {
                routes(field, to, uses);
            }
            rule.mirrors().forEach(mirror -> uses.add(new Use(field + ".mirror", mirror.to())));
        }
        for (var i = 0; i < owner.tls().size(); i++) {
            routes("spec.tls[" + i + "]", owner.tls().get(i).to(), uses);
        }
        for (var i = 0; i < owner.tcp().size(); i++) {
            routes("spec.tcp[" + i + "]", owner.tcp().get(i).to(), uses);
        }
        return uses;
    }

    private static void routes(String rule, List<Destination> to, List<Use> uses) {
        for (var i = 0; i < to.size(); i++) {
            uses.add(new Use(rule + ".route[" + i + "].destination", to.get(i)));
        }
    }

    /// What can be told from it alone.
    public static List<Remark> remarks(VirtualServiceManifest owner) {
        var remarks = new ArrayList<Remark>();
        for (var i = 0; i < owner.http().size(); i++) {
            var matches = owner.http().get(i).matches();
            if (matches.isEmpty() && i < owner.http().size() - 1) {
                remarks.add(Remark.warning(
                        "spec.http[" + i + "]",
                        "virtual-service-unreachable",
                        "matches every request: no request comes to the rules after it",
                        "move it to the end, or give it a match"));
            }
            if (!matches.isEmpty()
                    && matches.stream()
                            .noneMatch(match -> match.callers().sourceLabels().isEmpty())) {
                remarks.add(Remark.warning(
                        "spec.http[" + i + "]",
                        "virtual-service-source-labels",
                        "matches by sourceLabels, which no proxy of this mesh sees: it has no effect",
                        "match by sourceNamespace, or by something in the request"));
            }
        }
        return remarks;
    }
}
