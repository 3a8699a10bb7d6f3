import { Command } from "commander";
import {
  agentCommandFlags,
  apiserverFlags,
  consoleFlags,
  crdsFlags,
  explainFlags,
  installFlags,
  labFlags,
  labReadFlags,
  managementCommandFlags,
  nodeTokenFlags,
  operatorCommandFlags,
  planFlags,
  scyllaAgentCommandFlags,
  scyllaGateCommandFlags,
  statusFlags,
  supportBundleFlags,
  takeOverFlags,
  uninstallFlags,
  upFlags,
  versionFlags,
  webhookCommandFlags,
} from "./flags.ts";
import { addCommand, hintAfterError } from "./option/flag.ts";
import { helpFormat } from "./option/help-format.ts";
import { perftuneFlags } from "./perftune/flags.ts";
import { profileCommand } from "./profile/command.ts";
import { renderCommand } from "./render/command.ts";
import { errorLines, writeErr, writeOut } from "./terminal/terminal.ts";
import { tunedCommand } from "./tuned/command.ts";
import { version } from "../version.ts";

/** Every command with its flags. A command's code is loaded when the command runs: `attune --help` must not load an API server. */
export function attuneProgram(): Command {
  const program = new Command("attune")
    .description("Tunes Kubernetes nodes from declarative objects, on any cluster or without one.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .configureHelp(helpFormat)
    // `lab` and `lab read` have flags of the same names.
    .enablePositionalOptions()
    .configureOutput({
      writeOut,
      writeErr,
      outputError: (text, write) => write(errorLines(text.startsWith("error:") ? text : `error: ${text}`)),
    })
    .exitOverride();
  hintAfterError(program, "the commands").addHelpText(
    "after",
    "\nTo begin: attune up, and attune status in another terminal\n",
  );

  program.commandsGroup("Try it on this machine:");

  addCommand(program, {
    name: "up",
    summary: "run the whole system, with virtual nodes and an example",
    description: "run the whole system on this machine, with virtual nodes and an example Tuned",
    flags: upFlags,
    run: async (options) => (await import("./up/up.ts")).up(options),
  });

  const labCommand = addCommand(program, {
    name: "lab",
    summary: "run virtual nodes on any API server",
    description: "run virtual nodes on any API server, for trials and scale tests",
    flags: labFlags,
    run: async (options) => (await import("./lab/lab.ts")).lab(options),
  });

  addCommand(labCommand, {
    name: "read",
    description: "print a file of a virtual node, or the names in a folder",
    operands: { "<node>": "name of the node", "<path>": "absolute path on it, such as /proc/sys/vm/swappiness" },
    flags: labReadFlags,
    run: async (options, [node = "", path = ""]) =>
      (await import("./lab/read-file.ts")).readLabFile(node, path, options),
  });

  addCommand(program, {
    name: "apiserver",
    description: "run only the embedded Kubernetes API server",
    flags: apiserverFlags,
    run: async (options) => (await import("./apiserver.ts")).apiserver(options),
  });

  program.commandsGroup("Look at a cluster:");

  addCommand(program, {
    name: "status",
    description: "show whether every node is as wanted, and what is not",
    flags: statusFlags,
    run: async (options) => (await import("./status/status.ts")).status(options),
  });

  addCommand(program, {
    name: "explain",
    summary: "show why a node, a Tuned or a pod is as it is",
    description:
      "show why a node has its profile, and where each of its settings comes from; which nodes a Tuned reaches, and why not the others; or what admission did with a pod, and by which rule",
    operands: {
      "<kind>": "node, tuned or pod",
      "<name>": "its name",
      "[option]": "of a node: only this setting or boot argument, such as vm.swappiness",
    },
    flags: explainFlags,
    run: async (options, operands) => (await import("./explain/explain.ts")).explain(operands, options),
  });

  addCommand(program, {
    name: "plan",
    summary: "show what applying or deleting manifests would change",
    description: "show what applying or deleting manifests would change on nodes; exit code 0: nothing, 2: something",
    flags: planFlags,
    run: async (options) => (await import("./plan/plan.ts")).plan(options),
  });

  addCommand(program, {
    name: "support-bundle",
    summary: "write what others need to help to an archive, without secrets",
    description:
      "write objects, status, events and logs of Attune to an archive for people who help; without Secrets, tokens and environment",
    flags: supportBundleFlags,
    run: async (options) => (await import("./support-bundle/support-bundle.ts")).supportBundle(options),
  });

  addCommand(program, {
    name: "console",
    summary: "serve the console for a cluster in a browser",
    description:
      "serve the console for a cluster in a browser on this machine, with the rights of the kubeconfig's user",
    flags: consoleFlags,
    run: async (options) => (await import("./console/console.ts")).consoleCommand(options),
  });

  program.commandsGroup("Write profiles:");

  profileCommand(program);
  renderCommand(program);

  program.commandsGroup("Tune this host:");

  tunedCommand(program);

  addCommand(program, {
    name: "perftune",
    summary: "tune network cards, disks and clock of this host for Scylla",
    description:
      "tune network cards, disks and clock of this host for Scylla, and keep interrupts off the CPUs of the database",
    flags: perftuneFlags,
    run: async (options) => {
      const { perftune, processTerminal } = await import("./perftune/run.ts");
      process.exitCode = await perftune(options, processTerminal());
    },
  });

  program.commandsGroup("Install:");

  addCommand(program, {
    name: "install",
    summary: "print the manifests that install Attune, or apply them",
    description:
      "print the manifests that install Attune, or apply them; with --kubeconfig, adapts them to that cluster",
    flags: installFlags,
    run: async (options) => (await import("./install/install.ts")).install(options),
  });

  addCommand(program, {
    name: "uninstall",
    summary: "roll back all nodes, and delete what install made",
    description: "roll back all nodes, and then delete what install made; objects of users stay",
    flags: uninstallFlags,
    run: async (options) => (await import("./uninstall/uninstall.ts")).uninstall(options),
  });

  addCommand(program, {
    name: "take-over",
    summary: "replace the operator that OpenShift ships, or hand back",
    description: "print the steps that put Attune in place of the operator that OpenShift ships, or carry them out",
    flags: takeOverFlags,
    run: async (options) => (await import("./take-over/take-over.ts")).takeOver(options),
  });

  addCommand(program, {
    name: "crds",
    description: "print the CustomResourceDefinitions that Attune uses",
    flags: crdsFlags,
    run: async (options) => (await import("./install/install.ts")).crds(options),
  });

  addCommand(program, {
    name: "node-token",
    summary: "issue the token for the first boot of a machine",
    description: "issue the token with which a machine gets the config of its pool before it is a node",
    operands: { "<node>": "name that the node will have" },
    flags: nodeTokenFlags,
    run: async (options, [node = ""]) => (await import("./node-token/node-token.ts")).nodeToken(node, options),
  });

  program.commandsGroup("Programs that run on a cluster:");

  addCommand(program, {
    name: "operator",
    summary: "choose a profile for each node, and roll pools out",
    description: "run the operator: choose a profile for each node, and boot arguments for each pool",
    flags: operatorCommandFlags,
    run: async (options) => (await import("./operator/operator.ts")).operator(options),
  });

  addCommand(program, {
    name: "management",
    summary: "bring tuning of NodePools to hosted clusters",
    description:
      "run the management side of hosted control planes: bring tuning of NodePools to the operators of hosted clusters",
    flags: managementCommandFlags,
    run: async (options) => (await import("./management.ts")).management(options),
  });

  addCommand(program, {
    name: "agent",
    description: "apply the node's Profile and report status",
    flags: agentCommandFlags,
    run: async (options) => {
      if (options.sysinfo !== undefined) return (await import("./agent/sysinfo.ts")).agentSysinfo(options);
      if (options.read) return (await import("./agent/read-values.ts")).agentRead(options);
      if (options.oneShot) return (await import("./agent/one-shot.ts")).agentOneShot(options);
      if (options.firstBoot) return (await import("./agent/first-boot.ts")).agentFirstBoot(options);
      return (await import("./agent/agent.ts")).agent(options);
    },
  });

  addCommand(program, {
    name: "webhook",
    summary: "check, convert and partition objects on admission",
    description: "run the admission and conversion webhook, and register it with the API server",
    flags: webhookCommandFlags,
    run: async (options) => (await import("./webhook.ts")).webhook(options),
  });

  addCommand(program, {
    name: "scylla-agent",
    description: "tune a node for the Scylla databases on it",
    flags: scyllaAgentCommandFlags,
    run: async (options) => (await import("./scylla-agent/scylla-agent.ts")).scyllaAgent(options),
  });

  addCommand(program, {
    name: "scylla-gate",
    summary: "let a database start when its node is tuned for it",
    description: "let the database of a pod start when its node is tuned; runs as a sidecar of the database",
    flags: scyllaGateCommandFlags,
    run: async (options) => (await import("./scylla-gate/scylla-gate.ts")).scyllaGate(options),
  });

  program.commandsGroup("About the program:").helpCommand("help [command]", "print help for a command");

  addCommand(program, {
    name: "completion",
    summary: "print the script that completes commands in a shell",
    description: "print a script that completes commands, flags and names of objects in a shell",
    operands: { "<shell>": "bash, zsh or fish" },
    flags: {},
    run: async (_, [shell = ""]) => (await import("./completion/completion.ts")).completion(shell),
  });

  addCommand(program, {
    name: "man",
    description: "write a man page for each command to a folder",
    operands: { "<dir>": "the folder, such as ~/.local/share/man/man1" },
    flags: {},
    run: async (_, [dir = ""]) => (await import("./reference/man.ts")).writeManPages(attuneProgram(), dir),
  });

  addCommand(program, {
    name: "version",
    description: "print the version, and that of Node.js",
    flags: versionFlags,
    run: async (options) => (await import("./version/version.ts")).printVersion(options),
  });

  return program;
}
