import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { dnsLabel } from "../../../language/object/names.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { systemNamespace } from "../../operator/rbac.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { applyManifests } from "./apply-manifests.ts";
import { connectionOption, type Options } from "../option/connection-option.ts";
import { type InstallOptions, installManifests } from "./manifests.ts";
import { operatorMode, protocolOption } from "../operator/mode.ts";
import { printObjects } from "../terminal/serialise.ts";
import { forTarget, readTarget } from "./target-cluster.ts";

/**
 * `attune install`: prints what a cluster needs, or applies it. Where a cluster is named it is looked at first, and gets
 * only what it lacks or what is Attune's already.
 */
export async function install(options: Options, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const wanted = wantedBy(options, env);
  const { apply, dryRun } = options;
  if (dryRun === true && apply !== true) throw new Error("--dry-run: goes with --apply; without it nothing is applied");
  const asked = apply === true || typeof options.kubeconfig === "string" || typeof options.context === "string";
  if (!asked) return write(await printObjects(installManifests(wanted), options.output));

  const { signal } = stopOnSignals();
  const client = new HttpClient(await connectionOption(options));
  try {
    const objects = await fitted(client, wanted, signal);
    if (apply !== true) return write(await printObjects(objects, options.output));
    await applyManifests(client, objects, signal, {
      dryRun: dryRun === true,
      onApplied: ({ kind, metadata: { namespace, name } }, what) =>
        write(
          `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name} ${what}${dryRun ? " (dry run)" : ""}\n`,
        ),
    });
  } finally {
    client.close();
  }
}

async function fitted(client: HttpClient, wanted: InstallOptions, signal: AbortSignal): Promise<KubeObject[]> {
  const target = await readTarget(client, installManifests(wanted), signal);
  const { mode = "auto", monitoring = false } = wanted;
  const manifests = installManifests({ ...wanted, monitoring: monitoring || target.monitoring });
  // Those it brought once it keeps up to date.
  const kept = mode === "auto" && target.machineConfigsAreOurs ? machineConfigCrds : [];
  const { objects, notes } = forTarget([...kept, ...manifests], target);
  for (const note of notes) process.stderr.write(`note: ${note}\n`);
  return objects;
}

function wantedBy(options: Options, env: NodeJS.ProcessEnv): InstallOptions {
  const namespace = String(options.namespace ?? systemNamespace);
  const [problem] = dnsLabel(namespace);
  if (problem !== undefined) throw new Error(`--namespace ${namespace}: ${problem}`);
  return {
    namespace,
    mode: operatorMode(options.mode),
    protocol: protocolOption(options.protocol),
    monitoring: options.monitoring === true,
    ...(typeof options.image === "string" ? { image: options.image } : {}),
    ...(env["RELEASE_VERSION"] ? { release: env["RELEASE_VERSION"] } : {}),
  };
}

function write(text: string): void {
  process.stdout.write(text);
}
