// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import com.github.xds.core.v3.CidrRange;
import com.github.xds.core.v3.TypedExtensionConfig;
import com.github.xds.type.matcher.v3.IPMatcher;
import com.github.xds.type.matcher.v3.IPMatcher.IPRangeMatcher;
import com.github.xds.type.matcher.v3.Matcher;
import com.github.xds.type.matcher.v3.Matcher.MatcherTree;
import com.github.xds.type.matcher.v3.Matcher.OnMatch;
import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import io.envoyproxy.envoy.extensions.matching.common_inputs.network.v3.ApplicationProtocolInput;
import io.envoyproxy.envoy.extensions.matching.common_inputs.network.v3.DestinationIPInput;
import io.envoyproxy.envoy.extensions.matching.common_inputs.network.v3.DestinationPortInput;
import io.envoyproxy.envoy.extensions.matching.common_inputs.network.v3.FilterStateInput;
import io.fathom.control.ambient.network.Entrances.Entrance;
import io.fathom.control.envoy.waypoint.ServicePart.PortPart;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Finds the chain for what came out of a tunnel: by the host name that the tunnel named, else by address and port,
/// else by what the first bytes look like. No default: what fits nothing is refused.
///
/// Names of inputs and actions are those that istioctl looks for.
final class Dispatch {
    /// In this order; the quotes belong to the value.
    private static final List<String> HTTP = List.of("'h2c'", "'http/1.1'", "'http/1.0'");

    /// No chain has this name: the connection is closed and logged like any that fits nothing.
    private static final String REFUSED = "refused";

    private final WaypointSettings settings;

    Dispatch(WaypointSettings settings) {
        this.settings = settings;
    }

    /// @param parts oldest first: where two want the same, the first has it
    /// @param direct addresses of workloads whose own traffic is served
    /// @param nowhere a chain for the case that there is nothing else
    /// @param entrance where calls of other networks come in, if they do: they find what all clusters share alone
    Matcher matcher(List<ServicePart> parts, List<Ip> direct, String nowhere, Optional<Entrance> entrance) {
        var all = matcher(parts, direct, nowhere, Matcher.newBuilder());
        if (entrance.isEmpty()) {
            return all;
        }
        var shared = parts.stream().filter(part -> part.scope() == Scope.GLOBAL).toList();
        // What fits none of these would be tried with the others, if nothing said that this is the end.
        var end = Matcher.newBuilder().setOnNoMatch(action(REFUSED));
        return Visitors.matcher(entrance.get(), matcher(shared, List.of(), nowhere, end), all);
    }

    /// @param last is asked in the end, with nothing but what happens if nothing fits
    private Matcher matcher(List<ServicePart> parts, List<Ip> direct, String nowhere, Matcher.Builder last) {
        var hosts = new TreeMap<String, OnMatch>();
        var owners = new LinkedHashMap<IpBlock, List<ServicePart>>();
        for (var part : parts) {
            var own = blocks(part);
            own.forEach(block ->
                    owners.computeIfAbsent(block, _ -> new ArrayList<>()).add(part));
            if (!own.isEmpty()) {
                part.ports()
                        .forEach(port ->
                                hosts.putIfAbsent(part.service().hostname() + ":" + port.number(), chain(port)));
            }
        }
        var ranges = ranges(owners, direct);
        if (hosts.isEmpty() && ranges.isEmpty()) {
            hosts.put(nowhere, action(nowhere));
        }
        if (hosts.isEmpty()) {
            return byAddress(ranges, last);
        }
        var byHost = tree(
                "authority-filter-state",
                FilterStateInput.newBuilder().setKey(FilterStates.AUTHORITY).build(),
                hosts);
        return ranges.isEmpty()
                ? byHost.mergeFrom(last.build()).build()
                : byHost.setOnNoMatch(OnMatch.newBuilder().setMatcher(byAddress(ranges, last)))
                        .build();
    }

    private List<IpBlock> blocks(ServicePart part) {
        return part.service().service().addresses().stream()
                .filter(address -> address.network().equals(settings.network()))
                .map(address -> address.block())
                .filter(block -> settings.families().contains(block.address().family()))
                .toList();
    }

    private List<IPRangeMatcher> ranges(Map<IpBlock, List<ServicePart>> owners, List<Ip> direct) {
        // Addresses of the same services share a range; by key, because a part is large.
        var blocks = new LinkedHashMap<List<String>, List<IpBlock>>();
        owners.forEach((block, parts) ->
                blocks.computeIfAbsent(keys(parts), _ -> new ArrayList<>()).add(block));
        var result = new ArrayList<IPRangeMatcher>();
        blocks.forEach((_, ranges) -> {
            var parts = owners.getOrDefault(ranges.getFirst(), List.of());
            var ports = new TreeMap<Integer, OnMatch>();
            parts.forEach(part -> part.ports().forEach(port -> ports.putIfAbsent(port.number(), chain(port))));
            if (!ports.isEmpty()) {
                result.add(range(ranges, byPort(ports)));
            }
        });
        var workloads = direct.stream()
                .filter(ip -> settings.families().contains(ip.family()))
                .map(ip -> new IpBlock(ip, ip.family().bits()))
                .filter(block -> !owners.containsKey(block))
                .toList();
        if (!workloads.isEmpty()) {
            result.add(range(workloads, sniffed(MainInternal.DIRECT_HTTP, MainInternal.DIRECT_TCP)));
        }
        return result;
    }

    private static List<String> keys(List<ServicePart> parts) {
        return parts.stream().map(part -> part.service().service().key()).toList();
    }

    private static IPRangeMatcher range(Collection<IpBlock> blocks, OnMatch then) {
        var range = IPRangeMatcher.newBuilder().setOnMatch(then);
        blocks.forEach(block -> range.addRanges(CidrRange.newBuilder()
                .setAddressPrefix(block.address().toString())
                .setPrefixLen(Typed.number(block.length()))));
        return range.build();
    }

    private static Matcher byAddress(List<IPRangeMatcher> ranges, Matcher.Builder last) {
        var tree = MatcherTree.newBuilder()
                .setInput(extension("ip", DestinationIPInput.getDefaultInstance()))
                .setCustomMatch(extension(
                        "ip", IPMatcher.newBuilder().addAllRangeMatchers(ranges).build()));
        return Matcher.newBuilder().setMatcherTree(tree).mergeFrom(last.build()).build();
    }

    private static OnMatch byPort(Map<Integer, OnMatch> ports) {
        var map = new LinkedHashMap<String, OnMatch>();
        ports.forEach((port, then) -> map.put(Integer.toString(port), then));
        return OnMatch.newBuilder()
                .setMatcher(tree("port", DestinationPortInput.getDefaultInstance(), map))
                .build();
    }

    private static OnMatch chain(PortPart port) {
        if (port.detour().isPresent() && port.tcp().isPresent()) {
            return bySource(port.detour().get(), port.tcp().get().getName());
        }
        if (port.http().isPresent() && port.tcp().isPresent()) {
            return sniffed(port.http().get().getName(), port.tcp().get().getName());
        }
        return action(port.http().or(port::tcp).orElseThrow().getName());
    }

    private static OnMatch bySource(Detour detour, String straight) {
        var around = action(detour.chain().getName());
        if (detour.exempt().isEmpty()) {
            return around;
        }
        var map = new LinkedHashMap<String, OnMatch>();
        detour.sorted().forEach(said -> map.put(said, action(straight)));
        var source = FilterStateInput.newBuilder().setKey(FilterStates.SOURCE_AND_PEER);
        return OnMatch.newBuilder()
                .setMatcher(
                        tree("request-source-filter-state", source.build(), map).setOnNoMatch(around))
                .build();
    }

    private static OnMatch sniffed(String http, String tcp) {
        var map = new LinkedHashMap<String, OnMatch>();
        HTTP.forEach(protocol -> map.put(protocol, action(http)));
        return OnMatch.newBuilder()
                .setMatcher(tree("application-protocol", ApplicationProtocolInput.getDefaultInstance(), map)
                        .setOnNoMatch(action(tcp)))
                .build();
    }

    private static OnMatch action(String chain) {
        return OnMatch.newBuilder()
                .setAction(extension(chain, StringValue.of(chain)))
                .build();
    }

    private static Matcher.Builder tree(String name, Message input, Map<String, OnMatch> map) {
        var tree = MatcherTree.newBuilder().setInput(extension(name, input));
        tree.getExactMatchMapBuilder().putAllMap(map);
        return Matcher.newBuilder().setMatcherTree(tree);
    }

    static TypedExtensionConfig extension(String name, Message config) {
        return TypedExtensionConfig.newBuilder()
                .setName(name)
                .setTypedConfig(Any.pack(config))
                .build();
    }
}
