package io.fathom.control.status;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import java.util.function.Supplier;

/// Which revision is the default one: what the tag `default` points at, or the revision of that name where there is no
/// tag. Asks the API server each time; while that does not answer, the last answer counts. Any thread.
public final class DefaultRevision implements Supplier<String> {
    private static final KubeResource WEBHOOKS = new KubeResource(
            "admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", KubeResource.Scope.CLUSTER);
    private static final String TAG = "istio-revision-tag-default";

    private final KubeClient client;
    private volatile String last = "default";

    public DefaultRevision(KubeClient client) {
        this.client = client;
    }

    @Override
    public String get() {
        try {
            last = client.get(WEBHOOKS, "", TAG)
                    .map(tag -> tag.metadata().at("labels").at("istio.io/rev").text("default"))
                    .orElse("default");
        } catch (ProblemException e) {
            return last; // whoever asks has more to ask of that server, and says so
        }
        return last;
    }
}
