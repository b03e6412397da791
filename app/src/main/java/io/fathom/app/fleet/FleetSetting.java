// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.settings.Setting;
import io.fathom.tools.args.Flag;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// Every setting of the management server, in the order of `--help`.
enum FleetSetting implements Setting {
    STORE("KIND", "", """
            Where keys, members and tokens are kept. folder: in --state-dir, for one server. kubernetes: in the API server \
            of the pod or of --kubeconfig, for any number. By default folder if there is a --state-dir, else kubernetes."""),
    STATE_DIR("DIR", "", "Folder with keys, members and tokens. All of the server's memory: back it up."),
    CACHE_DIR("DIR", "", """
            Folder with what clusters have said of their services, so that agents say only what is new when the server \
            starts again. May be lost; none for none. By default services in --state-dir, else none."""),
    REPLICAS("HOST:PORT,…", "", """
            All servers of the fleet, this one among them: they tell each other what clusters say of their services. A name \
            may stand for several. Needed where servers share a store."""),
    KUBECONFIG("FILE", "", "How to reach the API server. By default what Kubernetes gives to every pod."),
    NAMESPACE(
            "NS",
            "",
            "Where keys, members and tokens are kept in Kubernetes. By default the pod's, else fathom-fleet."),
    FLEET("NAME", "fleet.local", "Name of the fleet: the trust domain of its certificates. Never change it."),
    GATEWAY_NAMESPACES("NS,…", "istio-eastwest", "Namespaces that gateways of clusters may be in."),
    SERVICE_POLICY("FILE", "", """
            Which namespaces clusters may export and import: a YAML list of {clusters, exports, imports}. Followed. \
            Without it all of them."""),
    CERTIFICATE_TTL("TIME", "168h", "How long certificates of agents are good. They are renewed at half of it."),
    MOST_STRANGERS(
            "N", "1024", "Connections at once without a certificate of the fleet; beyond it the oldest is closed."),
    MOST_STRANGERS_PER_ADDRESS("N", "256", "How many of them may come from one address."),
    LISTEN_ADDRESS("IP", "0.0.0.0", "Address that both ports listen on."),
    PORT("N", "9900", "gRPC over TLS: agents connect here. 0 takes any free port."),
    HTTP_PORT("N", "9901", """
            HTTP: /ready, /metrics and, from loopback, /debug/fleetz, /debug/policyz and what fathomctl fleet asks for. 0 takes any \
            free port."""),
    LOG_LEVEL("LEVEL", "info", "error, warn, info, debug or trace.");

    private final Description description;

    FleetSetting(String label, String fallback, String help) {
        this.description = new Description(label, fallback, help);
    }

    static List<Flag> flags(Flag... more) {
        return Stream.concat(Arrays.stream(values()).map(FleetSetting::asFlag), Arrays.stream(more))
                .toList();
    }

    @Override
    public Optional<Flag> flag() {
        return Optional.of(asFlag());
    }

    private Flag asFlag() {
        return flag("--" + name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    /// What other programs know by the same name has no prefix.
    @Override
    public String variable() {
        return this == KUBECONFIG ? name() : "FATHOM_FLEET_" + name();
    }

    @Override
    public Description description() {
        return description;
    }
}
