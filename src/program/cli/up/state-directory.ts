import { connect } from "node:net";
import { isAbsolute, join } from "node:path";
import { readKubeconfig } from "../../../cluster/kube/connect/kubeconfig.ts";
import type { Environment } from "../option/flag.ts";
import { examples } from "./examples.ts";

/** Undefined without a home directory. Relative paths are ignored, as the XDG specification says. */
export function defaultStateDirectory(mode: string, env: Environment): string | undefined {
  const { XDG_STATE_HOME: state = "", HOME: home = "" } = env;
  if (isAbsolute(state)) return join(state, "attune", mode);
  return isAbsolute(home) ? join(home, ".local", "state", "attune", mode) : undefined;
}

/** The kubeconfig of an `attune up` that runs with its default directory; undefined if none does. */
export async function runningKubeconfig(env: Environment): Promise<string | undefined> {
  for (const mode of ["hosted", "standalone", "plain", ...Object.keys(examples)]) {
    const dir = defaultStateDirectory(mode, env);
    const path = dir === undefined ? undefined : await answering(join(dir, "kubeconfig"));
    if (path !== undefined) return path;
  }
  return undefined;
}

async function answering(path: string): Promise<string | undefined> {
  const { clusters } = await readKubeconfig([path], { skipMissing: true });
  const [entry] = clusters.values();
  const server = entry?.fields["server"];
  // The file stays when `up` stops.
  return typeof server === "string" && (await answers(new URL(server))) ? path : undefined;
}

function answers({ hostname, port }: URL): Promise<boolean> {
  const socket = connect({ host: hostname, port: Number(port), timeout: 1000 });
  return new Promise((resolve) => {
    const end = (does: boolean) => (): void => {
      socket.destroy();
      resolve(does);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });
}
