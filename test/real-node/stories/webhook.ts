import { expect, test } from "vitest";
import { systemNamespace } from "../../../src/program/operator/names.ts";
import { eventually } from "../harness/eventually.ts";
import type { Stage } from "../harness/stage.ts";

const profile = (isolated: string, version = "v2"): object => ({
  apiVersion: `performance.openshift.io/${version}`,
  kind: "PerformanceProfile",
  metadata: { name: "story" },
  spec: { cpu: { isolated, reserved: "0" }, nodeSelector: { "node-role.kubernetes.io/worker": "" } },
});

export function webhookStory(stage: () => Stage): void {
  test("the API server reaches the webhook through its Service and kube-proxy", async () => {
    const { cluster } = stage();
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/attune-webhook";
    const registered = await eventually(60, "the webhook registers itself", async () => {
      const found = await cluster.api.get<{ webhooks?: { clientConfig: object; failurePolicy: string }[] }>(path);
      return found?.webhooks !== undefined && found.webhooks.length > 0 && found.webhooks;
    });
    for (const { clientConfig } of registered)
      expect(clientConfig).toMatchObject({ service: { namespace: systemNamespace, name: "attune-webhook" } });

    expect(() => cluster.apply(profile("0-1"))).toThrow("spec.cpu.isolated: Forbidden: CPU 0 is in reserved as well");
  });

  test("converts an older version through its Service", () => {
    const { cluster } = stage();
    cluster.apply(profile("1", "v1"));
    try {
      const words = ["get", "performanceprofiles.v2.performance.openshift.io", "story", "--output=json"];
      // Without the webhook only the version would be another one.
      expect(JSON.parse(cluster.kubectl(words))).toMatchObject({
        apiVersion: "performance.openshift.io/v2",
        spec: { cpu: { isolated: "1" }, globallyDisableIrqLoadBalancing: true },
      });
    } finally {
      cluster.kubectl(["delete", "performanceprofile", "story"]);
    }
  });
}
