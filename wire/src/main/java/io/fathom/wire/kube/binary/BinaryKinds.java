// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.binary;

import static io.fathom.wire.kube.binary.MessageForm.FieldForm.flag;
import static io.fathom.wire.kube.binary.MessageForm.FieldForm.message;
import static io.fathom.wire.kube.binary.MessageForm.FieldForm.messages;
import static io.fathom.wire.kube.binary.MessageForm.FieldForm.number;
import static io.fathom.wire.kube.binary.MessageForm.FieldForm.numberOrText;
import static io.fathom.wire.kube.binary.MessageForm.FieldForm.text;
import static io.fathom.wire.kube.binary.MessageForm.FieldForm.textMap;
import static io.fathom.wire.kube.binary.MessageForm.FieldForm.texts;
import static io.fathom.wire.kube.binary.MessageForm.FieldForm.time;

import java.util.Map;
import java.util.Optional;

/// The kinds that are read in the binary form, with the fields that their readers look at: those of package `core`, and
/// what watching needs. `KubeApiIT` compares them with JSON.
final class BinaryKinds {
    private static final MessageForm OWNER = MessageForm.of(
            text(1, "kind"), text(3, "name"), text(4, "uid"), text(5, "apiVersion"), flag(6, "controller"));

    private static final MessageForm METADATA = MessageForm.of(
            text(1, "name"),
            text(2, "generateName"),
            text(3, "namespace"),
            text(5, "uid"),
            text(6, "resourceVersion"),
            number(7, "generation"),
            time(8, "creationTimestamp"),
            time(9, "deletionTimestamp"),
            textMap(11, "labels"),
            textMap(12, "annotations"),
            messages(13, "ownerReferences", OWNER));

    /// Of a list.
    static final MessageForm LIST_METADATA = MessageForm.of(text(2, "resourceVersion"), text(3, "continue"));

    private static final MessageForm POD = object(
            MessageForm.of(
                    messages(2, "containers", container()),
                    text(6, "dnsPolicy"),
                    text(8, "serviceAccountName"),
                    text(9, "serviceAccount"),
                    text(10, "nodeName"),
                    flag(11, "hostNetwork"),
                    messages(20, "initContainers", container()),
                    message(26, "dnsConfig", MessageForm.of(texts(1, "nameservers"), texts(2, "searches")))),
            MessageForm.of(
                    text(1, "phase"),
                    messages(2, "conditions", MessageForm.of(text(1, "type"), text(2, "status"))),
                    text(6, "podIP"),
                    messages(12, "podIPs", MessageForm.of(text(1, "ip")))));

    private static final MessageForm SERVICE = object(
            MessageForm.of(
                    messages(
                            1,
                            "ports",
                            MessageForm.of(
                                    text(1, "name"),
                                    text(2, "protocol"),
                                    number(3, "port"),
                                    numberOrText(4, "targetPort"),
                                    number(5, "nodePort"),
                                    text(6, "appProtocol"))),
                    textMap(2, "selector"),
                    text(3, "clusterIP"),
                    text(4, "type"),
                    texts(5, "externalIPs"),
                    text(7, "sessionAffinity"),
                    text(10, "externalName"),
                    text(11, "externalTrafficPolicy"),
                    flag(13, "publishNotReadyAddresses"),
                    message(
                            14,
                            "sessionAffinityConfig",
                            MessageForm.of(message(1, "clientIP", MessageForm.of(number(1, "timeoutSeconds"))))),
                    texts(18, "clusterIPs"),
                    texts(19, "ipFamilies"),
                    text(22, "internalTrafficPolicy"),
                    text(23, "trafficDistribution")),
            MessageForm.of(message(
                    1,
                    "loadBalancer",
                    MessageForm.of(messages(1, "ingress", MessageForm.of(text(1, "ip"), text(2, "hostname")))))));

    private static final MessageForm ENDPOINT_SLICE = MessageForm.of(
            message(1, "metadata", METADATA),
            messages(
                    2,
                    "endpoints",
                    MessageForm.of(
                            texts(1, "addresses"),
                            message(
                                    2,
                                    "conditions",
                                    MessageForm.of(flag(1, "ready"), flag(2, "serving"), flag(3, "terminating"))),
                            text(3, "hostname"),
                            message(
                                    4,
                                    "targetRef",
                                    MessageForm.of(
                                            text(1, "kind"), text(2, "namespace"), text(3, "name"), text(4, "uid"))),
                            text(6, "nodeName"),
                            text(7, "zone"))),
            messages(
                    3,
                    "ports",
                    MessageForm.of(text(1, "name"), text(2, "protocol"), number(3, "port"), text(4, "appProtocol"))),
            text(4, "addressType"));

    /// How a server refuses.
    private static final MessageForm STATUS =
            MessageForm.of(text(2, "status"), text(3, "message"), text(4, "reason"), number(6, "code"));

    private static final Map<String, MessageForm> ALL = Map.of(
            "Pod", POD,
            "Service", SERVICE,
            "EndpointSlice", ENDPOINT_SLICE,
            "PartialObjectMetadata", MessageForm.of(message(1, "metadata", METADATA)),
            "Status", STATUS);

    private BinaryKinds() {}

    static Optional<MessageForm> form(String kind) {
        return Optional.ofNullable(ALL.get(kind));
    }

    private static MessageForm object(MessageForm spec, MessageForm status) {
        return MessageForm.of(message(1, "metadata", METADATA), message(2, "spec", spec), message(3, "status", status));
    }

    private static MessageForm container() {
        return MessageForm.of(
                text(1, "name"),
                messages(6, "ports", MessageForm.of(text(1, "name"), number(3, "containerPort"), text(4, "protocol"))),
                text(24, "restartPolicy"));
    }
}
