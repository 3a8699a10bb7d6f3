import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { dnsLabel } from "../../../language/object/names.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { defaultTunedName } from "../../../domain/node-tuning/default-tuned.ts";
import { nodePoolCrds } from "../../../domain/node-pool/crds.ts";
import { scyllaCrds } from "../../../domain/scylla/config/crds.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { makeFolder } from "../../../cluster/runtime/make-folder.ts";
import { applyManifests } from "./apply-manifests.ts";
import type { crdsFlags, installFlags } from "../flags.ts";
import type { Environment, Values } from "../option/flag.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import { chartFiles } from "./chart/chart.ts";
import { removeForeignWebhooks } from "./foreign-webhooks.ts";
import { definitions, type InstallOptions, installManifests, managementManifests } from "./manifests.ts";
import { removeOfOtherReleases } from "./other-releases.ts";
import type { OperatorMode } from "../option/shared-flags.ts";
import { printObjects } from "../terminal/serialise.ts";
import { forTarget, readTarget } from "./target-cluster.ts";
import { readStatus, statusOf, writeInfrastructure } from "./partitioning.ts";
import { isTerminal, processTerminal, screenSize, shellWord, writeErr, writeOut } from "../terminal/terminal.ts";
import { wholeWords } from "../terminal/wrap.ts";
import { clusterToRead } from "../up/running-cluster.ts";

type Options = Values<typeof installFlags>;

/** `attune crds`: the definitions of all kinds that Attune uses. */
export async function crds({ output }: Values<typeof crdsFlags>): Promise<void> {
  write(await printObjects([...definitions("standalone"), ...nodePoolCrds, ...scyllaCrds], output));
}

/**
 * `attune install`: prints the manifests, or applies them. With --kubeconfig, --context or --apply it reads the cluster
 * first, and leaves out what the cluster has from elsewhere or does not support.
 */
export async function install(options: Options, env: Environment = process.env): Promise<void> {
  const wanted = wantedBy(options, env);
  const { apply, dryRun, kubeconfig, context, output, chart, partitioning, mode } = options;
  if (partitioning !== undefined) checkPartitioning(options);
  if (dryRun && !apply) throw new Error("--dry-run requires --apply; without --apply nothing is applied");
  if (chart !== undefined) return writeChart(chart, { ...options, mode: clusterMode(options) });
  if (!apply && kubeconfig === undefined && context === undefined)
    return write(
      await printObjects(manifestsOf({ ...wanted, partitioning: partitioning && statusOf(partitioning) }), output),
    );

  const { signal } = stopOnSignals();
  const find = apply && !dryRun ? loadConnection(options) : clusterToRead(options, { note: processTerminal().err });
  const client = new HttpClient(await find);
  try {
    const decided = partitioning && (await readStatus(client, partitioning, { mode, signal }));
    const inConfigMap = decided?.hasInfrastructure ? undefined : decided?.status;
    const objects = await fitted(client, { ...wanted, partitioning: inConfigMap }, signal);
    if (!apply) return write(await printObjects(objects, output));
    const report = ({ kind, metadata: { namespace, name } }: KubeObject, what: string): void =>
      write(
        `${wholeWords(
          `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name} ${what}${dryRun ? " (dry run)" : ""}`,
          screenSize()?.columns,
        )}\n`,
      );
    await applyManifests(client, objects, signal, { dryRun, onApplied: report });
    if (mode !== "hosted")
      for (const object of await removeOfOtherReleases(client, { ...wanted, mode }, { dryRun, signal }))
        report(object, "removed");
    if (decided?.hasInfrastructure && !dryRun) await writeInfrastructure(client, decided.status, signal);
    for (const name of await removeForeignWebhooks(client, { dryRun, signal }))
      writeErr(`note: removed the webhook ${name} from Attune's configuration: Attune does not register it so\n`);
    if (await isRemoved(client, signal)) writeErr(removedNote);
    if (isTerminal())
      write(
        dryRun
          ? "\nNothing has been changed.\n"
          : `\n${objects.length} objects are applied. What becomes of the nodes: attune status -w\n`,
      );
  } finally {
    client.close();
  }
}

function checkPartitioning({ mode, apply, chart }: Options): void {
  const because = (why: string): Error => new Error(`--partitioning: ${why}`);
  if (mode === "tuning" || mode === "hosted") throw because(`not supported with --mode ${mode}`);
  if (chart !== undefined) throw because("not supported with --chart; use attune install --apply");
  if (mode === "standalone" && !apply)
    throw because(
      "with --mode standalone it needs --apply: kubectl apply does not write the status of an Infrastructure",
    );
}

/** As an interrupted uninstall leaves it. */
async function isRemoved(client: HttpClient, signal: AbortSignal): Promise<boolean> {
  const tuned = await ifThere(client.get(tunedKind, defaultTunedName, { namespace: tuningNamespace, signal }));
  return tuned?.spec?.managementState === "Removed";
}

const removedNote =
  `note: Tuned ${tuningNamespace}/${defaultTunedName} has managementState Removed, so no node is tuned: ` +
  `kubectl -n ${tuningNamespace} patch tuned ${defaultTunedName} --type merge -p '{"spec":{"managementState":"Managed"}}'\n`;

function clusterMode({ mode }: Options): OperatorMode {
  if (mode === "hosted") throw new Error("--chart: not supported with --mode hosted; apply what attune install prints");
  return mode;
}

/** Into a new folder, so that no template of an older chart stays in it. */
function writeChart(folder: string, options: Options & { readonly mode: OperatorMode }): void {
  const { apply, kubeconfig, context, namespace } = options;
  if (folder === "") throw new Error("--chart: needs the name of a folder");
  if (apply || kubeconfig !== undefined || context !== undefined)
    throw new Error(
      "--chart reads no cluster and applies nothing: helm install does; leave out --apply, --kubeconfig and --context",
    );
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`--chart ${folder}: the folder is not empty: name another, or empty it`);
  for (const { path, text } of chartFiles(options)) {
    makeFolder(dirname(join(folder, path)));
    writeFileSync(join(folder, path), text);
  }
  const words = ["helm", "install", "attune", folder, "--namespace", namespace, "--create-namespace"];
  write(`wrote a Helm chart; install it with: ${words.map(shellWord).join(" ")}\n`);
}

interface Wanted extends Omit<InstallOptions, "mode"> {
  readonly mode: Options["mode"];
}

function manifestsOf({ mode, ...options }: Wanted): KubeObject[] {
  return mode === "hosted" ? managementManifests(options) : installManifests({ ...options, mode });
}

async function fitted(client: HttpClient, wanted: Wanted, signal: AbortSignal): Promise<KubeObject[]> {
  const target = await readTarget(client, manifestsOf(wanted), signal);
  const { mode, monitoring = false } = wanted;
  const { isOpenShift } = target;
  const manifests = manifestsOf({ ...wanted, isOpenShift, monitoring: monitoring || target.monitoring });
  // CRDs that carry our label are updated on every install.
  const kept = mode === "auto" && target.machineConfigsAreOurs ? machineConfigCrds : [];
  const { objects, notes } = forTarget([...kept, ...manifests], target);
  for (const note of notes) writeErr(`note: ${note}\n`);
  return objects;
}

function wantedBy(options: Options, env: Environment): Wanted {
  const { namespace, image, mode, protocol, agentExec, agentMounts, monitoring, replicas } = options;
  const { firstBoot, partitioningRelease, scylla, scyllaUtilsImage, console } = options;
  if (scylla && mode === "hosted") throw new Error("--scylla: not supported with --mode hosted");
  if (console && mode === "hosted")
    throw new Error("--console: not supported with --mode hosted; run attune console on your own machine");
  const [problem] = dnsLabel(namespace);
  if (problem !== undefined) throw new Error(`--namespace ${namespace}: ${problem}`);
  const release = env["RELEASE_VERSION"] || undefined;
  return {
    namespace,
    image,
    mode,
    protocol,
    partitioningRelease,
    agentExec,
    agentMounts,
    monitoring,
    replicas,
    release,
    firstBoot,
    scylla,
    scyllaUtilsImage,
    console,
  };
}

function write(text: string): void {
  writeOut(text);
}
