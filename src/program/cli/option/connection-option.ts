import type { Connection } from "../../../cluster/kube/connect/connection.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";

export type Options = Readonly<Record<string, string | boolean | undefined>>;

/** `--kubeconfig` and `--context`, and where they are not given, what kubectl would use. */
export function connectionOption({ kubeconfig, context }: Options): Promise<Connection> {
  return loadConnection({
    ...(typeof kubeconfig === "string" ? { kubeconfig } : {}),
    ...(typeof context === "string" ? { context } : {}),
  });
}
