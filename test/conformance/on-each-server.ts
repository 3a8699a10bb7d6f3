import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { writeKubeconfig } from "../../src/embedded/apiserver/auth/kubeconfig.ts";
import {
  emptyServers,
  serverVariants,
  type ServerUnderTest,
  type ServerVariant,
} from "../servers/server-under-test.ts";
import { until } from "../servers/until.ts";
import { Kubectl, kubectlPath } from "./kubectl.ts";

/** One server under test, available once the tests run. */
export interface Cluster {
  readonly variant: ServerVariant["name"];
  readonly server: ServerUnderTest;
  readonly kubectl: Kubectl;
  /** kubectl's working directory, for files of tests. */
  readonly home: string;
}

/** The namespace of the admin's kubeconfig. */
export const NAMESPACE = "work";

interface Needs {
  /** The program that a suite needs, `undefined` if it is not on this machine. */
  readonly program?: string | undefined;
}

/** Defines the same tests for every server: both must behave the same. */
export function onEachServer(title: string, define: (cluster: Cluster) => void, needs: Needs = {}): void {
  onEach(serverVariants(), title, define, needs);
}

/** For suites whose clusters must have nothing of Attune. */
export function onEachEmptyServer(title: string, define: (cluster: Cluster) => void): void {
  onEach(emptyServers(), title, define, {});
}

function onEach(
  variants: readonly ServerVariant[],
  title: string,
  define: (cluster: Cluster) => void,
  needs: Needs,
): void {
  const program = "program" in needs ? needs.program : kubectlPath;
  for (const variant of variants)
    describe.skipIf(!program)(`${title}, on the ${variant.name} server`, () => {
      let home: string;
      let server: ServerUnderTest;
      let kubectl: Kubectl;

      beforeAll(async () => {
        home = await mkdtemp(join(tmpdir(), "attune-conformance-"));
        server = await variant.start();
        const { caPem, adminCertPem, adminKeyPem } = server.authority;
        const kubeconfig = join(home, "kubeconfig");
        await writeKubeconfig(kubeconfig, {
          server: server.url,
          caPem,
          certPem: adminCertPem,
          keyPem: adminKeyPem,
          namespace: NAMESPACE,
        });
        kubectl = new Kubectl(home, kubeconfig);
        if (kubectlPath)
          await kubectl.prints("create -f -", `namespace/${NAMESPACE} created`, {
            stdin: JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } }),
          });
        // The last default object of a new namespace; until it exists, lists may still grow.
        if (kubectlPath)
          await until(`${server.url}/api/v1/namespaces/${NAMESPACE}/configmaps/kube-root-ca.crt`, {
            ca: caPem,
            headers: { authorization: `Bearer ${server.authority.adminToken}` },
            alive: () => true,
          });
      });

      afterAll(async () => {
        await server?.close();
        if (home) await rm(home, { recursive: true, force: true });
      });

      define({
        variant: variant.name,
        get server() {
          return server;
        },
        get kubectl() {
          return kubectl;
        },
        get home() {
          return home;
        },
      });
    });
}
