import { Command, CommanderError } from "commander";
import type { PlanOptions } from "./plan/plan.ts";
import { profileCommand } from "./profile/command.ts";
import { renderCommand } from "./render/command.ts";
import { tunedCommand } from "./tuned/command.ts";
import { version } from "./version.ts";

/** Every command's code is loaded when it is called: `attune --help` should not pay for an API server. */
const program = new Command("attune")
  .description("Tunes Kubernetes nodes from declarative objects, on any cluster or none.")
  .version(version, "-V, --version", "print the version")
  .helpCommand("help [command]", "show what a command does")
  .showHelpAfterError("(attune --help shows the commands)")
  .configureOutput({ outputError: (text, write) => write(text.startsWith("error:") ? text : `error: ${text}`) })
  .exitOverride();

program
  .command("up")
  .description("start the whole system on this machine, with a worked example")
  .option("--mode <mode>", "standalone; hosted and plain are not there yet", "standalone")
  .option("--nodes <n>", "how many virtual nodes", "1")
  .option("--dir <dir>", "where its state is kept (default: $XDG_STATE_HOME/attune/<mode>)")
  .option("--port <port>", "port of the API server; 0 picks a free one", "0")
  .option("--once", "wait until the example has converged, print the result, and stop")
  .action(async (options: Record<string, string | boolean>) => (await import("./up/up.ts")).up(options));

program
  .command("apiserver")
  .description("start the embedded Kubernetes API server alone")
  .requiredOption("--dir <dir>", "where its state is kept")
  .option("--port <port>", "port to listen on; 0 picks a free one", "0")
  .option("--fsync", "sync every write to disk, so that a power loss loses nothing either")
  .action(async (options: Record<string, string | boolean>) => (await import("./apiserver.ts")).apiserver(options));

program
  .command("operator")
  .description("run the operator: which profile each node gets, and what pools boot with")
  .option(
    "--mode <mode>",
    "auto: by what the cluster has; standalone: with machine config pools; plain: without",
    "auto",
  )
  .option("--kubeconfig <file>", "the cluster (default: as kubectl finds it, or the one it runs in)")
  .option("--context <name>", "context of the kubeconfig")
  .option("-n, --namespace <name>", "where Tuneds and Profiles are (default: $WATCH_NAMESPACE, or as shipped)")
  .option("--image <image>", "of the agents (default: $CLUSTER_NODE_TUNED_IMAGE, or this version's)")
  .option("--protocol <protocol>", "how nodes report boot arguments: documented or shipped", "documented")
  .option("--probe-address <host:port>", "where to serve /healthz, /readyz and /metrics (default: nowhere)")
  .option("--no-leader-election", "act without asking whether another does")
  .action(async (options: Record<string, string | boolean>) =>
    (await import("./operator/operator.ts")).operator(options),
  );

program
  .command("agent")
  .description("tune a node by its Profile, and tell there how it fares")
  .option("--node <name>", "name of the node (default: $NODE_NAME)")
  .option("--root <dir>", "where the node's own file system is mounted", "/")
  .option("--engine <engine>", "auto, native or tuned", "auto")
  .option("--kubeconfig <file>", "the cluster (default: as kubectl finds it, or the one it runs in)")
  .option("--context <name>", "context of the kubeconfig")
  .option("-n, --namespace <name>", "where Profiles are (default: as shipped)")
  .option("--protocol <protocol>", "how to report boot arguments: documented or shipped", "documented")
  .option("--look-every <time>", "how often to look whether somebody else changed a setting", "10m")
  .option("--rollback-on-exit", "put the originals back at the end (default: only if the node is to be left alone)")
  .option("--one-shot", "tune the node as it was before it restarted, ask no cluster, and end")
  .option("--sysinfo <file>", "write a snapshot of the node's hardware, - for standard output, ask no cluster, and end")
  .action(async (options: Record<string, string | boolean>) =>
    options["sysinfo"] !== undefined
      ? (await import("./agent/sysinfo.ts")).agentSysinfo(options)
      : options["oneShot"] === true
        ? (await import("./agent/one-shot.ts")).agentOneShot(options)
        : (await import("./agent/agent.ts")).agent(options),
  );

program
  .command("install")
  .description("print what a cluster needs to run Attune, or apply it; a cluster that is named is looked at first")
  .option("--kubeconfig <file>", "the cluster (default: none is asked; with --apply as kubectl finds it)")
  .option("--context <name>", "context of the kubeconfig")
  .option("--apply", "apply it, with server-side apply")
  .option("--dry-run", "with --apply: let the server judge, and change nothing")
  .option("-n, --namespace <name>", "where Attune's own parts run", "attune-system")
  .option("--image <image>", "of all parts (default: this version's)")
  .option("--mode <mode>", "auto, standalone (brings machine config pools) or plain", "auto")
  .option("--protocol <protocol>", "how nodes report boot arguments: documented or shipped", "documented")
  .option("--monitoring", "with ServiceMonitor and PrometheusRule, even if no cluster says that it has them")
  .option("-o, --output <format>", "yaml or json", "yaml")
  .action(async (options: Record<string, string | boolean>) => (await import("./install/install.ts")).install(options));

program
  .command("crds")
  .description("print the definitions of the kinds that Attune works with")
  .option("-o, --output <format>", "yaml or json", "yaml")
  .action(async (options: Record<string, string | boolean>) => (await import("./install/crds.ts")).crds(options));

program
  .command("webhook")
  .description("answer admission and conversion reviews of an API server, and register for them")
  .requiredOption("--register <how>", "how API servers reach it: by url or service")
  .option("--kubeconfig <file>", "the cluster to register with")
  .option("--context <name>", "context of the kubeconfig")
  .option("--host <address>", "address to listen on", "127.0.0.1")
  .option("--port <port>", "port to listen on; 0 picks a free one", "0")
  .option("--advertise <host>", "host name or address in the url that is registered (default: --host)")
  .option("-n, --namespace <name>", "where its Secret and its Service are", "attune-system")
  .option("--service <name>", "name of its Service", "attune-webhook")
  .option("--service-port <port>", "port of its Service", "443")
  .option("--probe-address <host:port>", "where to serve /healthz, /readyz and /metrics (default: nowhere)")
  .action(async (options: Record<string, string | boolean>) => (await import("./webhook.ts")).webhook(options));

program
  .command("lab")
  .description("play virtual nodes on any API server, for trials and scale tests")
  .option("--kubeconfig <file>", "the cluster (default: as kubectl finds it)")
  .option("--context <name>", "the context of the kubeconfig")
  .option("--nodes <n>", "how many nodes of the smallest kind")
  .option("--topology <file>", "groups of nodes, in YAML")
  .option("--name-prefix <prefix>", "what names of nodes begin with", "node-")
  .option("--no-workloads", "leave scheduling and workload controllers to others")
  .option("--cleanup", "delete the nodes at the end; otherwise they stay and are not ready")
  .action(async (options: Record<string, string | boolean>) => (await import("./lab/lab.ts")).lab(options));

program
  .command("plan")
  .description("say what applying files would do to nodes; exit code 0: nothing would change, 2: something would")
  .requiredOption("-f, --filename <file...>", "files or folders of manifests, - for standard input; may be repeated")
  .option("-R, --recursive", "folders below folders too")
  .option("--kubeconfig <file>", "the cluster (default: as kubectl finds it)")
  .option("--context <name>", "the context of the kubeconfig")
  .option("-n, --namespace <name>", "of objects that name none (default: as kubectl has it)")
  .option("-o, --output <format>", "table, wide (every node by name), json or yaml", "table")
  .action(async (options: PlanOptions) => (await import("./plan/plan.ts")).plan(options));

program
  .command("explain")
  .description("say why a node has the profile it has, and where each of its settings comes from")
  .argument("<kind>", "node")
  .argument("<name>", "of the node")
  .option("--kubeconfig <file>", "the cluster (default: as kubectl finds it)")
  .option("--context <name>", "the context of the kubeconfig")
  .option("-n, --namespace <name>", "where Tuneds and Profiles are (default: where existing manifests put them)")
  .option("--root <dir>", "where the node's own file system is mounted: also say what it has")
  .option("--no-exec", "with --root: run no program; what depends on one is shown as unresolved")
  .option("-o, --output <format>", "table, wide (with units that are switched off), json or yaml", "table")
  .action(async (kind: string, name: string, options: Record<string, string | boolean>) =>
    (await import("./explain/explain.ts")).explain(kind, name, options),
  );

profileCommand(program);
renderCommand(program);
tunedCommand(program);

async function main(): Promise<void> {
  // As Node.js tells of modules: the process ends with nothing left to wait for, and its command has not.
  const unfinished = (): void => void (process.exitCode ||= 13);
  process.once("exit", unfinished);
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) process.exitCode = 0;
    } else process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    process.off("exit", unfinished);
  }
}

void main();
